//! Patterns: checked when they are read, compiled when they are first needed, both within limits (`engine.md` §9).
//!
//! Reading a definition parses its pattern and builds nothing, so that a file which nobody approved costs no more than
//! its text. What is compiled is shared by equal patterns of one [`PatternPool`] and counted there.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use fancy_regex::{CompileError, Error, Expr, Regex, RegexBuilder};

use super::{Condition, Predicate};
use crate::message::Message;

/// A pattern may have this many bytes of text.
pub const MAX_PATTERN_BYTES: usize = 4 << 10;
/// One compiled pattern may take about this many bytes.
pub const MAX_COMPILED_BYTES: usize = 2 << 20;
/// The compiled patterns of one pool may take about this many bytes together.
pub const MAX_POOL_BYTES: usize = 64 << 20;
/// Steps after which a pattern gives up.
pub const MAX_STEPS: usize = 1_000_000;

/// The engine does not say how large a compiled pattern is; the smallest of these limits that it keeps is taken for it.
const SIZES: [usize; 4] = [4 << 10, 32 << 10, 256 << 10, MAX_COMPILED_BYTES];
/// Instructions of a pattern that needs backtracking.
const MAX_PROGRAM: usize = 20_000;
/// Memory that searching with one pattern may take beside the pattern itself, in bytes.
const SEARCH_BYTES: usize = 256 << 10;
/// A pattern that is compiled for advice only may take this many bytes.
const TRIAL_BYTES: usize = 64 << 10;
/// So many patterns are compiled for one round of advice.
const MAX_TRIALS: usize = 256;

crate::messages! {
    /// More text than a pattern may have.
    TOO_LONG = "too_large" / "pattern" { "the pattern of `{key}` has {bytes} bytes; at most {limit} are allowed", "`{key}` 的正则表达式有 {bytes} 字节，最多允许 {limit} 字节" } hint { "shorten the pattern, or check the rest in the hook itself", "缩短正则表达式，或在 Hook 中检查其余条件" };
    /// It compiles to more than a pattern may take.
    TOO_COMPLEX = "too_large" / "compiled" { "the pattern of `{key}` needs more than {limit} MiB when compiled", "`{key}` 的正则表达式编译后超过 {limit} MiB" } hint { "use smaller repetition counts, or `[A-Za-z0-9_]` instead of `\\w`", "减小重复次数，或用 `[A-Za-z0-9_]` 代替 `\\w`" };
    /// All together take more than they may.
    TOO_MANY = "too_large" / "patterns" { "the compiled patterns of this project need more than {limit} MiB", "此项目的正则表达式编译后合计超过 {limit} MiB" } hint { "use fewer or smaller patterns", "减少正则表达式的数量或长度" };
    /// The syntax is right, and the engine refuses it all the same.
    NOT_COMPILED = "too_large" / "refused" { "the pattern of `{key}` cannot be compiled: {why}", "`{key}` 的正则表达式无法编译：{why}" } hint { "simplify the pattern", "简化正则表达式" };
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// Its text is over [`MAX_PATTERN_BYTES`]; this many bytes.
    TooLong(usize),
    /// It is over [`MAX_COMPILED_BYTES`].
    TooComplex,
    /// Its pool is full.
    TooMany,
    /// The engine refuses it, in these words.
    Refused(String),
}

impl PatternError {
    /// The reason, for the pattern of a field.
    #[must_use]
    pub fn to_message(&self, key: &str) -> Message {
        match self {
            Self::TooLong(bytes) => {
                TOO_LONG.render(crate::args! { "key" => key, "bytes" => bytes, "limit" => MAX_PATTERN_BYTES })
            }
            Self::TooComplex => TOO_COMPLEX.render(crate::args! { "key" => key, "limit" => MAX_COMPILED_BYTES >> 20 }),
            Self::TooMany => TOO_MANY.render(crate::args! { "key" => key, "limit" => MAX_POOL_BYTES >> 20 }),
            Self::Refused(why) => NOT_COMPILED.render(crate::args! { "key" => key, "why" => why }),
        }
    }
}

/// What testing a subject came to, when it came to no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternFailure {
    /// It needs more than [`MAX_STEPS`] steps for this subject.
    GaveUp,
    /// It cannot be used for any subject.
    Unusable(PatternError),
}

/// Where a pattern must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Anywhere in the subject (Python `search`).
    Anywhere,
    /// All of it (Python `fullmatch`).
    Whole,
}

/// A pattern in the subset that Python and our engine read alike (`engine.md` §9).
#[derive(Debug, Clone)]
pub struct Pattern {
    /// As the author wrote it.
    pub source: String,
    anchor: Anchor,
    /// The pattern is letters, digits, `_` and `|` only: names, which need no engine.
    names: Option<Vec<String>>,
    program: Arc<Program>,
}

/// A pattern in the engine's spelling, and what it was compiled to.
struct Program {
    text: String,
    pool: Option<Arc<PatternPool>>,
    compiled: OnceLock<Result<Compiled, PatternError>>,
}

#[derive(Debug)]
struct Compiled {
    regex: Regex,
    /// About so many bytes.
    bytes: usize,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Program").field(&self.text).finish()
    }
}

impl Pattern {
    /// A source that needs no translation. The subset is the caller's business.
    ///
    /// # Errors
    /// What is wrong with its syntax, in the engine's words.
    pub fn new(source: &str, anchor: Anchor) -> Result<Self, String> {
        Self::translated(source, source, anchor)
    }

    /// What the source means in the engine's own spelling. Only the syntax is looked at, nothing is compiled.
    ///
    /// # Errors
    /// What is wrong with its syntax, in the engine's words.
    pub fn translated(source: &str, text: &str, anchor: Anchor) -> Result<Self, String> {
        let names: Vec<String> = source.split('|').map(str::to_owned).collect();
        let names = names.iter().all(|name| is_plain_name(name)).then_some(names);
        let text = match anchor {
            Anchor::Anywhere => text.to_owned(),
            Anchor::Whole => whole(text),
        };
        if names.is_none() {
            check(&text)?;
        }
        Ok(Self::from_parts(source, anchor, names, Program::new(text, None)))
    }

    /// A pattern with more text than a pattern may have: it is never looked at, and tests nothing.
    #[must_use]
    pub fn too_long(source: &str, anchor: Anchor) -> Self {
        let program = Program::new(String::new(), None);
        // Nobody else has this program yet.
        let _first = program.compiled.set(Err(PatternError::TooLong(source.len())));
        Self::from_parts(source, anchor, None, program)
    }

    fn from_parts(source: &str, anchor: Anchor, names: Option<Vec<String>>, program: Program) -> Self {
        Self {
            source: source.to_owned(),
            anchor,
            names,
            program: Arc::new(program),
        }
    }

    /// The names it consists of, when it is nothing but names.
    #[must_use]
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Whether it matches; `None` when it gave up or cannot be used. Compiles it when it was not yet.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        self.test(text).ok()
    }

    /// Whether it matches. Compiles it when it was not yet.
    ///
    /// # Errors
    /// It gave up on this subject, or cannot be used at all.
    pub fn test(&self, text: &str) -> Result<bool, PatternFailure> {
        match &self.names {
            Some(names) => Ok(self.is_named(names, text)),
            None => search(self.program.regex().map_err(PatternFailure::Unusable)?, text),
        }
    }

    /// The same without keeping what has to be compiled for it.
    ///
    /// # Errors
    /// It gave up on this subject, or cannot be used at all.
    pub fn test_once(&self, text: &str) -> Result<bool, PatternFailure> {
        if self.names.is_some() || self.program.compiled.get().is_some() {
            return self.test(text);
        }
        let regex = build(&self.program.text, MAX_COMPILED_BYTES).map_err(PatternFailure::Unusable)?;
        search(&regex, text)
    }

    /// Whether it would match if letter case made no difference. Keeps nothing that has to be compiled for it.
    #[must_use]
    pub fn matches_loosely(&self, text: &str) -> bool {
        if self.names.is_some() {
            return self.is_named_loosely(text);
        }
        let regex = match self.unusable() {
            Some(_) => None,
            None => build(&format!("(?i){}", self.program.text), MAX_COMPILED_BYTES).ok(),
        };
        regex.is_some_and(|regex| search(&regex, text) == Ok(true))
    }

    /// The same for a pattern of names, which needs no engine; `false` for any other.
    #[must_use]
    pub fn is_named_loosely(&self, text: &str) -> bool {
        let lower = |name: &String| name.to_lowercase();
        let names: Option<Vec<String>> = self.names.as_ref().map(|names| names.iter().map(lower).collect());
        names.is_some_and(|names| self.is_named(&names, &text.to_lowercase()))
    }

    /// Compiles it, so that the first event need not.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn compile(&self) -> Result<(), PatternError> {
        match self.names {
            Some(_) => Ok(()),
            None => self.program.regex().map(|_| ()),
        }
    }

    /// Whether it would have to be compiled before it can be used.
    #[must_use]
    pub fn is_raw(&self) -> bool {
        self.names.is_none() && self.program.compiled.get().is_none()
    }

    /// Why it cannot be used, as far as that is known without compiling it.
    #[must_use]
    pub fn unusable(&self) -> Option<&PatternError> {
        self.program.compiled.get()?.as_ref().err()
    }

    fn is_named(&self, names: &[String], text: &str) -> bool {
        match self.anchor {
            Anchor::Anywhere => names.iter().any(|name| text.contains(name.as_str())),
            Anchor::Whole => names.iter().any(|name| name == text),
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.program.text == other.program.text
    }
}

impl Eq for Pattern {}

impl Program {
    fn new(text: String, pool: Option<Arc<PatternPool>>) -> Self {
        let compiled = OnceLock::new();
        Self { text, pool, compiled }
    }

    fn regex(&self) -> Result<&Regex, PatternError> {
        let full = self.pool.as_ref().is_some_and(|pool| pool.is_full());
        // That a pool is full may pass, so it is not remembered.
        if full && self.compiled.get().is_none() {
            return Err(PatternError::TooMany);
        }
        match self.compiled.get_or_init(|| self.compile()) {
            Ok(compiled) => Ok(&compiled.regex),
            Err(why) => Err(why.clone()),
        }
    }

    fn compile(&self) -> Result<Compiled, PatternError> {
        let mut built = Err(PatternError::TooComplex);
        for bytes in SIZES {
            built = build(&self.text, bytes).map(|regex| Compiled { regex, bytes });
            if built != Err(PatternError::TooComplex) {
                break;
            }
        }
        if let (Some(pool), Ok(compiled)) = (&self.pool, &built) {
            pool.bytes.fetch_add(compiled.bytes, Ordering::Relaxed);
            pool.compiled.fetch_add(1, Ordering::Relaxed);
        }
        built
    }
}

impl PartialEq for Compiled {
    fn eq(&self, other: &Self) -> bool {
        self.regex.as_str() == other.regex.as_str()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let (Some(pool), Some(Ok(compiled))) = (&self.pool, self.compiled.get()) {
            pool.bytes.fetch_sub(compiled.bytes, Ordering::Relaxed);
            pool.compiled.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The patterns of one project, or those of the user: equal ones are compiled once, and all together within
/// [`MAX_POOL_BYTES`]. A project has a pool of its own, so that none can use up the room of the user's patterns.
#[derive(Debug)]
pub struct PatternPool {
    limit: usize,
    bytes: AtomicUsize,
    compiled: AtomicUsize,
    programs: Mutex<HashMap<String, Weak<Program>>>,
}

impl Default for PatternPool {
    fn default() -> Self {
        Self {
            limit: MAX_POOL_BYTES,
            bytes: AtomicUsize::new(0),
            compiled: AtomicUsize::new(0),
            programs: Mutex::default(),
        }
    }
}

impl PatternPool {
    /// Takes the patterns of a condition in: from now on they are compiled at the cost of this pool.
    pub fn adopt(self: &Arc<Self>, when: &mut Condition) {
        for pattern in when.patterns_mut().filter(|pattern| pattern.names.is_none()) {
            if pattern.unusable().is_none() {
                pattern.program = self.program(&pattern.program.text);
            }
        }
    }

    fn program(self: &Arc<Self>, text: &str) -> Arc<Program> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = programs.get(text).and_then(Weak::upgrade) {
            return known;
        }
        if programs.len() == programs.capacity() {
            programs.retain(|_, program| program.strong_count() > 0);
        }
        let program = Arc::new(Program::new(text.to_owned(), Some(self.clone())));
        programs.insert(text.to_owned(), Arc::downgrade(&program));
        program
    }

    fn is_full(&self) -> bool {
        self.bytes() + SIZES[0] > self.limit
    }

    /// How many patterns are compiled now.
    #[must_use]
    pub fn compiled(&self) -> usize {
        self.compiled.load(Ordering::Relaxed)
    }

    /// About how many bytes they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// Patterns compiled for one round of advice: small ones only, few of them, and all let go with it.
#[derive(Debug, Default)]
pub struct Trial(RefCell<HashMap<String, Option<Regex>>>);

impl Trial {
    /// Whether the pattern matches; `None` where finding that out costs too much.
    #[must_use]
    pub fn is_match(&self, pattern: &Pattern, text: &str) -> Option<bool> {
        if let Some(names) = &pattern.names {
            return Some(pattern.is_named(names, text));
        }
        let mut known = self.0.borrow_mut();
        if known.len() >= MAX_TRIALS && !known.contains_key(&pattern.program.text) {
            return None;
        }
        let spelled = &pattern.program.text;
        let regex = known.entry(spelled.clone()).or_insert_with(|| {
            build(spelled, TRIAL_BYTES)
                .ok()
                .filter(|_| pattern.unusable().is_none())
        });
        search(regex.as_ref()?, text).ok()
    }

    /// Whether a test holds for a text; taken to hold where finding that out costs too much.
    pub(super) fn is_met_by(&self, test: &Predicate, got: &str) -> bool {
        match test {
            Predicate::Pattern(pattern) | Predicate::Within(pattern) => self.is_match(pattern, got).unwrap_or(true),
            Predicate::Equals(_) | Predicate::OneOf(_) | Predicate::Prefix(_) => test.is_met_by(got),
        }
    }
}

fn search(regex: &Regex, text: &str) -> Result<bool, PatternFailure> {
    regex.is_match(text).map_err(|_| PatternFailure::GaveUp)
}

fn build(text: &str, limit: usize) -> Result<Regex, PatternError> {
    RegexBuilder::new(text)
        .backtrack_limit(MAX_STEPS)
        .delegate_size_limit(limit)
        .delegate_dfa_size_limit(SEARCH_BYTES)
        .max_prog_size(MAX_PROGRAM)
        .build()
        .map_err(|error| {
            if is_too_complex(&error) {
                PatternError::TooComplex
            } else {
                PatternError::Refused(error.to_string())
            }
        })
}

fn is_too_complex(error: &Error) -> bool {
    let Error::CompileError(error) = error else {
        return false;
    };
    let over = matches!(&**error, CompileError::InnerError(why) if why.size_limit().is_some());
    over || matches!(**error, CompileError::PatternTooComplex)
}

/// Whether the syntax is right: that of the pattern, and that of each class in brackets, which the parser leaves to a
/// second one.
fn check(text: &str) -> Result<(), String> {
    let tree = Expr::parse_tree(text).map_err(|error| error.to_string())?;
    let mut seen = BTreeSet::new();
    let mut open = vec![&tree.expr];
    while let Some(expr) = open.pop() {
        if let Expr::Delegate { inner, .. } = expr
            && seen.insert(inner)
        {
            let parsed = regex_syntax::ast::parse::Parser::new().parse(inner);
            parsed.map_err(|error| error.kind().to_string())?;
        }
        open.extend(expr.children_iter());
    }
    Ok(())
}

/// Letters, digits and `_`: a pattern that means itself.
pub(super) fn is_plain_name(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|sign| sign.is_alphanumeric() || sign == '_')
}

/// Whole-subject form. Flags stand at the very start, so that they stay outside the group.
fn whole(source: &str) -> String {
    let flags = source
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'))
        .filter(|(flags, _)| !flags.is_empty() && flags.chars().all(|sign| "ismx".contains(sign)));
    let (flags, rest) = flags.unwrap_or(("", source));
    let head = if flags.is_empty() {
        String::new()
    } else {
        format!("(?{flags})")
    };
    // In the verbose form a comment would swallow the closing bracket, did its line not end before.
    let end = if flags.contains('x') { "\n" } else { "" };
    format!("{head}\\A(?:{rest}{end})\\z")
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
