//! Patterns. They are checked when a definition is read and compiled when they are first needed, both within limits
//! (`engine.md` §9).
//!
//! Reading a definition parses its pattern and compiles nothing. So a file that is not approved costs no more than its
//! text. Equal patterns of one [`PatternPool`] share one compiled form, and the pool counts its size.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use fancy_regex::{CompileError, Error, Expr, Regex, RegexBuilder};

use super::{Condition, Predicate};
use crate::message::Message;

/// Maximum length of a pattern's text, in bytes.
pub const MAX_PATTERN_BYTES: usize = 4 << 10;
/// Approximate maximum size of one compiled pattern, in bytes.
pub const MAX_COMPILED_BYTES: usize = 2 << 20;
/// Approximate maximum size of all compiled patterns of one pool, in bytes.
pub const MAX_POOL_BYTES: usize = 64 << 20;
/// Number of steps after which a pattern gives up (`engine.md` §9).
pub const MAX_STEPS: usize = 1_000_000;

/// Size limits that are tried in order, in bytes. The regex library does not report the size of a compiled pattern. So
/// the smallest limit under which it compiles is recorded as its size.
const SIZES: [usize; 4] = [4 << 10, 32 << 10, 256 << 10, MAX_COMPILED_BYTES];
/// Maximum number of instructions of a pattern that needs backtracking.
const MAX_PROGRAM: usize = 20_000;
/// Maximum memory that a search may use in addition to the compiled pattern, in bytes.
const SEARCH_BYTES: usize = 256 << 10;
/// Maximum size of a pattern that is compiled only for lint, in bytes.
const TRIAL_BYTES: usize = 64 << 10;
/// Maximum number of patterns that are compiled for one round of lint.
const MAX_TRIALS: usize = 256;

crate::messages! {
    /// The pattern's text is longer than [`MAX_PATTERN_BYTES`].
    TOO_LONG = "too_large" / "pattern" { "the pattern of `{key}` has {bytes} bytes; at most {limit} are allowed", "`{key}` 的正则表达式有 {bytes} 字节，最多允许 {limit} 字节" } hint { "shorten the pattern, or check the rest in the hook itself", "缩短正则表达式，或在 Hook 中检查其余条件" };
    /// The compiled pattern is larger than [`MAX_COMPILED_BYTES`].
    TOO_COMPLEX = "too_large" / "compiled" { "the pattern of `{key}` needs more than {limit} MiB when compiled", "`{key}` 的正则表达式编译后超过 {limit} MiB" } hint { "use smaller repetitions, or `[A-Za-z0-9_]` instead of `\\w`", "减小重复次数，或用 `[A-Za-z0-9_]` 代替 `\\w`" };
    /// All compiled patterns together are larger than [`MAX_POOL_BYTES`].
    TOO_MANY = "too_large" / "patterns" { "the compiled patterns of this project need more than {limit} MiB", "此项目的正则表达式编译后合计超过 {limit} MiB" } hint { "use fewer or smaller patterns", "减少正则表达式的数量或长度" };
    /// The syntax is right, but the regex library cannot compile the pattern.
    NOT_COMPILED = "too_large" / "refused" { "the pattern of `{key}` cannot be compiled: {why}", "`{key}` 的正则表达式无法编译：{why}" } hint { "simplify the pattern", "简化正则表达式" };
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// Its text is longer than [`MAX_PATTERN_BYTES`]; the value is its length in bytes.
    TooLong(usize),
    /// Its compiled form would be larger than [`MAX_COMPILED_BYTES`].
    TooComplex,
    /// Its pool is full.
    TooMany,
    /// The regex library refuses it; the value is the library's message.
    Refused(String),
}

impl PatternError {
    /// The reason as a message, for the pattern of the field `key`.
    #[must_use]
    pub fn to_message(&self, key: &str) -> Message {
        match self {
            Self::TooLong(bytes) => {
                crate::render!(TOO_LONG, "key" => key, "bytes" => bytes, "limit" => MAX_PATTERN_BYTES)
            }
            Self::TooComplex => crate::render!(TOO_COMPLEX, "key" => key, "limit" => MAX_COMPILED_BYTES >> 20),
            Self::TooMany => crate::render!(TOO_MANY, "key" => key, "limit" => MAX_POOL_BYTES >> 20),
            Self::Refused(why) => crate::render!(NOT_COMPILED, "key" => key, "why" => why),
        }
    }
}

/// Why a pattern has no result for a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternFailure {
    /// This subject needs more than [`MAX_STEPS`] steps.
    GaveUp,
    /// The pattern cannot be used for any subject.
    Unusable(PatternError),
}

/// Where a pattern must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Anywhere in the subject (Python `search`).
    Anywhere,
    /// The whole subject (Python `fullmatch`).
    Whole,
}

/// A pattern in the subset that Python and the regex library read in the same way (`engine.md` §9).
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The pattern as the author wrote it.
    pub source: String,
    anchor: Anchor,
    /// The names, if the pattern consists of letters, digits, `_` and `|` only. Then nothing has to be compiled.
    names: Option<Vec<String>>,
    program: Arc<Program>,
}

/// A pattern in the syntax of the regex library, and its compiled form.
struct Program {
    text: String,
    pool: Option<Arc<PatternPool>>,
    compiled: OnceLock<Result<Compiled, PatternError>>,
    /// The form without regard to letter case, or `None` if it cannot be compiled. Only [`Pattern::compiled_copy`] sets
    /// it.
    loose: OnceLock<Option<Regex>>,
}

#[derive(Debug)]
struct Compiled {
    regex: Regex,
    /// Approximate size in bytes.
    bytes: usize,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Program").field(&self.text).finish()
    }
}

impl Pattern {
    /// A pattern that needs no translation. The caller ensures that it is in the common subset.
    ///
    /// # Errors
    /// The syntax is wrong; the text is the library's message.
    pub fn new(source: &str, anchor: Anchor) -> Result<Self, String> {
        Self::translated(source, source, anchor)
    }

    /// A pattern with its translation `text` into the library's syntax. Only the syntax is checked, nothing is
    /// compiled.
    ///
    /// # Errors
    /// The syntax is wrong; the text is the library's message.
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

    /// A pattern of Rust's `regex`. Only the syntax is checked, nothing is compiled.
    ///
    /// # Errors
    /// The syntax is wrong; the text is the library's message.
    pub fn of_rust(source: &str, anchor: Anchor) -> Result<Self, String> {
        let parsed = regex_syntax::ast::parse::Parser::new().parse(source);
        parsed.map_err(|error| error.kind().to_string())?;
        Self::new(source, anchor)
    }

    /// A pattern that is longer than [`MAX_PATTERN_BYTES`]. It is never parsed and cannot be used.
    #[must_use]
    pub fn too_long(source: &str, anchor: Anchor) -> Self {
        let program = Program::new(String::new(), None);
        // The program was just created, so `set` cannot fail.
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

    /// The names that the pattern consists of; `None` if it is not made of names only.
    #[must_use]
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Whether the pattern matches; `None` if it gave up or cannot be used. Compiles it if necessary.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        self.test(text).ok()
    }

    /// Whether the pattern matches. Compiles it if necessary.
    ///
    /// # Errors
    /// The pattern gave up on this subject, or cannot be used at all.
    pub fn test(&self, text: &str) -> Result<bool, PatternFailure> {
        match &self.names {
            Some(names) => Ok(self.is_named(names, text)),
            None => search(self.program.regex().map_err(PatternFailure::Unusable)?, text),
        }
    }

    /// Like [`Pattern::test`], but nothing that is compiled for it is cached.
    ///
    /// # Errors
    /// The pattern gave up on this subject, or cannot be used at all.
    pub fn test_once(&self, text: &str) -> Result<bool, PatternFailure> {
        if self.names.is_some() || self.program.compiled.get().is_some() {
            return self.test(text);
        }
        let regex = build(&self.program.text, MAX_COMPILED_BYTES).map_err(PatternFailure::Unusable)?;
        search(&regex, text)
    }

    /// Whether the pattern would match without regard to letter case. Nothing that is compiled for it is cached.
    #[must_use]
    pub fn matches_loosely(&self, text: &str) -> bool {
        if self.names.is_some() {
            return self.is_named_loosely(text);
        }
        if let Some(loose) = self.program.loose.get() {
            return loose.as_ref().is_some_and(|regex| search(regex, text) == Ok(true));
        }
        self.loose_regex().is_some_and(|regex| search(&regex, text) == Ok(true))
    }

    /// Like [`Pattern::matches_loosely`], for a pattern of names, which needs no compiling. `false` for any other
    /// pattern.
    #[must_use]
    pub fn is_named_loosely(&self, text: &str) -> bool {
        let lower = |name: &String| name.to_lowercase();
        let names: Option<Vec<String>> = self.names.as_ref().map(|names| names.iter().map(lower).collect());
        names.is_some_and(|names| self.is_named(&names, &text.to_lowercase()))
    }

    fn loose_regex(&self) -> Option<Regex> {
        match self.unusable() {
            Some(_) => None,
            None => build(&format!("(?i){}", self.program.text), MAX_COMPILED_BYTES).ok(),
        }
    }

    /// A copy for many comparisons in a row: it is compiled now, also without regard to letter case. The compiled form
    /// belongs to no pool and is dropped with the copy.
    #[must_use]
    pub fn compiled_copy(&self) -> Self {
        if self.names.is_some() || self.unusable().is_some() {
            return self.clone();
        }
        let program = Program::new(self.program.text.clone(), None);
        let loose = self.loose_regex();
        program.compiled.get_or_init(|| program.compile());
        program.loose.get_or_init(|| loose);
        Self {
            program: Arc::new(program),
            ..self.clone()
        }
    }

    /// Compiles the pattern in advance, so that the first event does not have to wait for it.
    ///
    /// # Errors
    /// The pattern cannot be used.
    pub fn compile(&self) -> Result<(), PatternError> {
        match self.names {
            Some(_) => Ok(()),
            None => self.program.regex().map(|_| ()),
        }
    }

    /// Whether the pattern must be compiled before it can be used.
    #[must_use]
    pub fn is_raw(&self) -> bool {
        self.names.is_none() && self.program.compiled.get().is_none()
    }

    /// Why the pattern cannot be used, if that is known without compiling it.
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
        let loose = OnceLock::new();
        Self {
            text,
            pool,
            compiled,
            loose,
        }
    }

    fn regex(&self) -> Result<&Regex, PatternError> {
        let full = self.pool.as_ref().is_some_and(|pool| pool.is_full());
        // A full pool may become free again, so this error is not cached.
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

/// The patterns of one project, or those of the user. Equal patterns are compiled once, and all together stay within
/// [`MAX_POOL_BYTES`]. Each project has its own pool, so no project can use up the limit of the user's patterns.
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
    /// Adds the patterns of a condition to this pool. From then on their compiled size counts for this pool.
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

    /// How many patterns are compiled at present.
    #[must_use]
    pub fn compiled(&self) -> usize {
        self.compiled.load(Ordering::Relaxed)
    }

    /// The approximate size of the compiled patterns, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// Patterns that are compiled for one round of lint. They are few and small, and they are dropped after the round.
#[derive(Debug, Default)]
pub struct Trial(RefCell<HashMap<String, Option<Regex>>>);

impl Trial {
    /// Whether the pattern matches; `None` if it is too expensive to find out.
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

    /// Whether the predicate matches a text. If it is too expensive to find out, the result is `true`.
    pub(super) fn is_met_by(&self, test: &Predicate, got: &str) -> bool {
        match test {
            Predicate::Pattern(pattern) | Predicate::Within(pattern) => self.is_match(pattern, got).unwrap_or(true),
            Predicate::Equals(_) | Predicate::OneOf(_) | Predicate::Prefix(_) | Predicate::Rule(_) => {
                test.is_met_by(got)
            }
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

/// Checks the syntax of a pattern and of each class in brackets. `fancy_regex` does not parse these classes, so
/// `regex_syntax` checks them.
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

/// Whether the text consists of letters, digits and `_` only, so that as a pattern it matches exactly itself.
pub(super) fn is_plain_name(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|sign| sign.is_alphanumeric() || sign == '_')
}

/// The form of a pattern that matches the whole subject. Flags move to the very start, because they must be outside the
/// group.
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
    // In verbose mode a comment at the end would swallow the closing bracket. A newline ends the comment.
    let end = if flags.contains('x') { "\n" } else { "" };
    format!("{head}\\A(?:{rest}{end})\\z")
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
