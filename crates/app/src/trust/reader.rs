//! Reads a command in the order in which a shell runs it: what each word is, and the folders the shell may be in by then.
//!
//! `cd a && …` is in `a`, `cd a; …` in `a` or where it was, since a `cd` may fail; `( cd a )` keeps it to itself.

use std::sync::Arc;

use super::assigned::{self, ANYTHING, CHANGE};
use super::splitter::{Item, Simple, Splitter};
use super::words::{GRAMMAR, Piece, Place, Role, Split, Word};

/// Commands in commands that are followed.
const MAX_DEPTH: u32 = 8;
/// More folders than that are nobody's to follow.
const MAX_PLACES: usize = 32;
const GOES: [&str; 4] = ["cd", "chdir", "pushd", "popd"];
/// What a shell goes through more than once, or at another time.
const AGAIN: [&str; 5] = ["for", "while", "until", "select", "function"];
/// Programs that go to the folder of an option before they run something.
const MOVERS: [(&str, &[&str]); 3] = [
    ("env", &["-C", "--chdir"]),
    ("sudo", &["-D", "--chdir"]),
    ("nsenter", &["-w", "--wd"]),
];
/// Programs beside the shells that take a command behind `-c`.
const TAKE: [&str; 4] = ["su", "runuser", "flock", "script"];

/// Splits a command into words; operators and comments separate and are left out.
#[must_use]
pub fn split(command: &str) -> Split {
    let mut out = Split::default();
    read(command, 0, &mut Whereabouts::at(vec![Place::new()]), &mut out);
    out
}

/// The folders a shell may be in.
#[derive(Clone)]
struct Whereabouts {
    now: Vec<Place>,
    /// Those since the shell began that it may still be in, or be in again, should a command fail.
    may: Vec<Place>,
    /// Those of the shells around this one.
    outer: Vec<(Vec<Place>, Vec<Place>)>,
    /// Those that any shell was in.
    ever: Vec<Place>,
    /// What goes somewhere may do so more than once.
    again: bool,
}

impl Whereabouts {
    fn at(places: Vec<Place>) -> Self {
        Self {
            now: places.clone(),
            may: places.clone(),
            outer: Vec::new(),
            ever: places,
            again: false,
        }
    }

    fn go(&mut self, to: &Word) {
        self.now = below(&self.now, to);
        if self.again {
            add(&mut self.now, vec![vec![Word::opaque(&format!("cd {}", to.written()))]]);
        }
        self.note();
    }

    /// Back to any folder it was in.
    fn back(&mut self, unknown: Option<&str>) {
        self.now = self.ever.clone();
        let unknown = unknown.map(|text| vec![Word::opaque(text)]);
        add(&mut self.now, unknown.into_iter().collect());
        self.note();
    }

    fn note(&mut self) {
        add(&mut self.may, self.now.clone());
        add(&mut self.ever, self.now.clone());
    }

    fn follow(&mut self, item: &Item) {
        match item {
            Item::Or | Item::Next | Item::Apart => self.now = self.may.clone(),
            Item::Open => {
                self.outer.push((self.now.clone(), self.may.clone()));
                self.may = self.now.clone();
            }
            Item::Close => {
                if let Some((now, may)) = self.outer.pop() {
                    (self.now, self.may) = (now, may);
                }
            }
            Item::And | Item::Function | Item::Simple(_) => {}
        }
    }
}

/// Where `cd` leads from each of these.
fn below(places: &[Place], to: &Word) -> Vec<Place> {
    let absolute = match to.pieces.first() {
        Some(Piece::Text(text)) => text.starts_with('/'),
        Some(Piece::Home) => true,
        Some(Piece::Given(_, text)) => text.starts_with('/'),
        Some(Piece::Variable(_) | Piece::Assigned(..) | Piece::Opaque(_)) | None => false,
    };
    let mut out = Vec::new();
    for place in places {
        let mut next = if absolute { Place::new() } else { place.clone() };
        next.push(Word {
            from: Arc::from([]),
            ..to.clone()
        });
        add(&mut out, vec![next]);
    }
    out
}

fn add(places: &mut Vec<Place>, more: Vec<Place>) {
    for place in more {
        if !places.contains(&place) && places.len() < MAX_PLACES {
            places.push(place);
        } else if places.len() == MAX_PLACES {
            places.push(vec![Word::opaque("cd")]);
        }
    }
}

fn read(text: &str, depth: u32, at: &mut Whereabouts, out: &mut Split) {
    let mut splitter = Splitter::new(text);
    splitter.run();
    let mut items = splitter.items;
    assigned::put_in(&mut items);
    at.again |= items.iter().any(|item| match item {
        Item::Function => true,
        Item::Simple(simple) => {
            let first = simple
                .words
                .iter()
                .find(|word| !word.is_plain(&["then", "else", "do", "!", "{", "time"]));
            first.is_some_and(|word| word.is_plain(&AGAIN))
        }
        Item::And | Item::Or | Item::Next | Item::Apart | Item::Open | Item::Close => false,
    });
    // What stands in a command comes behind all words of the text, as it always did.
    let mut later = Vec::new();
    let mut at_the_end = Vec::new();
    for item in &items {
        let Item::Simple(simple) = item else {
            at.follow(item);
            continue;
        };
        let mut command = Command::new(at, out);
        command.read(simple);
        let Command {
            inner,
            here,
            trapped,
            moves,
            ..
        } = command;
        later.extend(inner.into_iter().map(|text| (text, here.clone())));
        at_the_end.extend(trapped);
        for each in moves {
            match each {
                Move::To(word) => at.go(&word),
                Move::Back => at.back(None),
                Move::Unknown(text) => at.back(Some(&text)),
                Move::In(text) if depth < MAX_DEPTH => read(&text, depth + 1, at, out),
                Move::In(_) => {}
            }
        }
    }
    later.extend(at_the_end.into_iter().map(|text| (text, at.ever.clone())));
    if depth < MAX_DEPTH {
        for (text, places) in later {
            read(&text, depth + 1, &mut Whereabouts::at(places), out);
        }
    }
}

/// What a command does to the shell's own folder.
enum Move {
    To(Word),
    /// `popd`
    Back,
    /// `cd -`
    Unknown(String),
    /// `eval`: another command in this very shell.
    In(String),
}

/// One simple command being read.
struct Command<'a> {
    out: &'a mut Split,
    /// The folders its words are seen from.
    here: Vec<Place>,
    program: Option<Word>,
    shell: bool,
    takes_command: bool,
    takes_folder: bool,
    /// The next word is the name of a variable.
    takes_name: bool,
    moved: bool,
    inner: Vec<String>,
    trapped: Option<String>,
    moves: Vec<Move>,
    tests: bool,
}

impl<'a> Command<'a> {
    fn new(at: &Whereabouts, out: &'a mut Split) -> Self {
        Self {
            out,
            here: at.now.clone(),
            program: None,
            shell: false,
            takes_command: false,
            takes_folder: false,
            takes_name: false,
            moved: false,
            inner: Vec::new(),
            trapped: None,
            moves: Vec::new(),
            tests: false,
        }
    }

    fn read(&mut self, simple: &Simple) {
        self.inner.extend(simple.inner.iter().cloned());
        for word in &simple.words {
            self.word(word.clone());
        }
        let goes_home = self.program_is(&["cd", "chdir"]) && !self.moved;
        if goes_home {
            self.moves.push(Move::To(Word::new(vec![Piece::Home], None)));
        } else if self.program_is(&["pushd", "popd"]) && !self.moved {
            self.moves.push(Move::Back);
        }
    }

    fn program_is(&self, names: &[&str]) -> bool {
        self.program.as_ref().is_some_and(|program| program.is_plain(names))
    }

    /// The options of the program that name a folder to go to first.
    fn folder_options(&self) -> &'static [&'static str] {
        let mover = MOVERS.iter().find(|(name, _)| self.program_is(&[*name]));
        mover.map_or(&[], |(_, options)| options)
    }

    fn push(&mut self, mut word: Word) {
        word.from = self.here.clone().into();
        // A test compares with patterns, and reads nothing.
        if self.tests {
            word.pattern = None;
        }
        self.out.words.push(word);
    }

    fn word(&mut self, mut word: Word) {
        // A word that is a command as a whole sets nothing here, though it may begin with `X=1`.
        let command = std::mem::take(&mut self.takes_command);
        let whole = command || self.program_is(&["eval", "trap"]);
        if let Some((name, value)) = word.assignment().filter(|_| !whole) {
            // `X=1 cmd` and `export X=1` set; an option (`--x=1`) only has a value.
            if !name.starts_with('-') {
                self.out.sets.insert(name.to_owned());
            } else if self.program_is(&["env"]) && name == "--unset" {
                self.out.sets.insert(value.written());
            } else if self.folder_options().contains(&name) {
                self.here = below(&self.here, &value);
            }
            return self.push(value);
        }
        if command {
            self.inner.push(word.command());
        }
        if std::mem::take(&mut self.takes_folder) {
            word.role = Role::Folder;
            self.here = below(&self.here, &word);
            return self.push(word);
        }
        self.shell |= word.is_shell();
        if self.program.is_none() {
            word.role = Role::Program;
            if !word.is_plain(&GRAMMAR) {
                self.tests = word.is_plain(&["[", "[[", "test"]);
                self.program = Some(word.clone());
            }
        } else if self.program_is(&["command", "builtin"]) && !is_option(&word) {
            word.role = Role::Run;
            self.program = Some(word.clone());
        } else {
            self.argument(&mut word);
        }
        self.push(word);
    }

    fn argument(&mut self, word: &mut Word) {
        if self.program_is(&GOES) {
            self.goes(word);
        } else if self.program_is(&["eval"]) {
            self.out.sets_any |= word.pieces.iter().any(|piece| !matches!(piece, Piece::Text(_)));
            self.moves.push(Move::In(word.command()));
        } else if self.program_is(&["trap"]) {
            if self.trapped.is_none() && !is_option(word) {
                self.trapped = Some(word.command());
            }
        } else if self.program_is(&CHANGE) {
            if let [Piece::Text(name)] = &word.pieces[..] {
                self.out.sets.insert(name.clone());
            }
        } else {
            self.out.sets_any |= self.program_is(&ANYTHING);
            self.drops(word);
            let program = self.program.as_ref();
            self.takes_command = (self.shell || self.program_is(&TAKE)) && word.asks_for_command()
                || self.program_is(&["env"]) && word.is_plain(&["-S", "--split-string"]);
            self.takes_folder =
                matches!(&word.pieces[..], [Piece::Text(text)] if self.folder_options().contains(&text.as_str()));
            if program.is_some_and(Word::is_runner) {
                word.role = Role::Run;
            }
        }
    }

    /// `env -i` begins with nothing, `env -u X` without X.
    fn drops(&mut self, word: &Word) {
        let [Piece::Text(text)] = &word.pieces[..] else { return };
        if std::mem::take(&mut self.takes_name) {
            self.out.sets.insert(text.clone());
        } else if self.program_is(&["env"]) {
            self.out.sets_any |= ["-", "-i", "--ignore-environment"].contains(&text.as_str());
            self.takes_name = text == "-u" || text == "--unset";
            if let Some(name) = text.strip_prefix("-u").filter(|name| !name.is_empty()) {
                self.out.sets.insert(name.to_owned());
            }
        }
    }

    fn goes(&mut self, word: &mut Word) {
        word.role = Role::Folder;
        if self.moved || (is_option(word) && !word.is_plain(&["-"])) {
            return;
        }
        self.moved = true;
        self.moves.push(match &word.pieces[..] {
            [Piece::Text(text)] if text == "-" => Move::Unknown("cd -".to_owned()),
            // `pushd +1` and `popd` come back to where the shell was.
            [Piece::Text(text)] if self.program_is(&["popd"]) || text.starts_with('+') => Move::Back,
            _ if self.out.sets.contains("CDPATH") => Move::Unknown("$CDPATH".to_owned()),
            _ => Move::To(word.clone()),
        });
    }
}

fn is_option(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(Piece::Text(text)) if text.starts_with('-'))
}
