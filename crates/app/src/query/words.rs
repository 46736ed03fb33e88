//! Cuts a query into words: a minus, a key and its values. Quotes hold blanks, commas, colons and stars, and `\"` in them
//! is a quote, `\\` a backslash.

/// One word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Where the word begins after its minus, in characters from 1.
    pub at: usize,
    /// Whether a minus stands before it.
    pub negated: bool,
    /// What stands before the first colon; `None` for a bare word.
    pub key: Option<String>,
    /// The values, which commas separate. An empty value is left out.
    pub values: Vec<Written>,
}

/// A value as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The text without quotes.
    pub text: String,
    /// Where it begins, in characters from 1.
    pub at: usize,
    /// Whether a star that is not quoted begins the value, and whether one ends it. They are not part of the text.
    pub stars: (bool, bool),
}

/// A value to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// The whole text is this one.
    Whole(String),
    /// The text begins like this.
    Begins(String),
    /// The text ends like this.
    Ends(String),
    /// The text contains this.
    Contains(String),
}

/// A text in which letters of both sizes are the same, and `-` and `_` too.
pub(super) fn normal(text: &str) -> String {
    text.to_lowercase().replace('-', "_")
}

impl Value {
    /// Whether a name has this value.
    pub fn matches(&self, name: &str) -> bool {
        let name = normal(name);
        match self {
            Self::Whole(text) => name == *text,
            Self::Begins(text) => name.starts_with(text),
            Self::Ends(text) => name.ends_with(text),
            Self::Contains(text) => name.contains(text),
        }
    }

    /// Whether a text, given in small letters, contains this value.
    pub fn is_in(&self, lower: &str) -> bool {
        let (Self::Whole(text) | Self::Begins(text) | Self::Ends(text) | Self::Contains(text)) = self;
        lower.contains(text)
    }
}

impl Word {
    /// Where its value begins, or the word if it has none, in characters from 1.
    pub fn value_at(&self) -> usize {
        self.values.first().map_or(self.at, |value| value.at)
    }

    /// The values as names, in which `-` and `_` are the same.
    pub fn names(&self) -> Vec<Value> {
        let name = |written: &Written| {
            let text = normal(&written.text);
            match written.stars {
                (false, false) => Value::Whole(text),
                (false, true) => Value::Begins(text),
                (true, false) => Value::Ends(text),
                (true, true) => Value::Contains(text),
            }
        };
        self.values.iter().map(name).collect()
    }

    /// The values as texts to look for.
    pub fn texts(&self) -> Vec<Value> {
        let text = |written: &Written| Value::Contains(written.text.to_lowercase());
        self.values.iter().map(text).collect()
    }

    /// The value of a key that has only one.
    pub fn written_value(&self) -> String {
        let texts: Vec<&str> = self.values.iter().map(|value| value.text.as_str()).collect();
        texts.join(",")
    }
}

/// The words of a query.
///
/// # Errors
/// A quote is not closed: its position in characters from 1.
pub(super) fn split(query: &str) -> Result<Vec<Word>, usize> {
    let mut words = Vec::new();
    let mut signs: Vec<Sign> = Vec::new();
    let mut begin = 1;
    let mut quote = None;
    let mut quoted_empty = false;
    let mut rest = query.chars().enumerate().peekable();
    while let Some((index, sign)) = rest.next() {
        let at = index + 1;
        match (sign, quote) {
            ('\\', Some(_)) => {
                let escaped = rest.next_if(|(_, next)| ['"', '\\'].contains(next));
                let sign = escaped.map_or('\\', |(_, next)| next);
                signs.push(Sign { sign, quoted: true, at });
            }
            ('"', None) => quote = Some(at),
            ('"', Some(_)) => (quote, quoted_empty) = (None, true),
            (sign, None) if sign.is_whitespace() => {
                words.extend(word(begin, std::mem::take(&mut signs), quoted_empty));
                (begin, quoted_empty) = (at + 1, false);
                continue;
            }
            (sign, _) => {
                let quoted = quote.is_some();
                signs.push(Sign { sign, quoted, at });
            }
        }
    }
    if let Some(at) = quote {
        return Err(at);
    }
    words.extend(word(begin, signs, quoted_empty));
    Ok(words)
}

/// A sign of a word.
#[derive(Debug, Clone, Copy)]
struct Sign {
    sign: char,
    quoted: bool,
    /// Its position in the query, in characters from 1.
    at: usize,
}

impl Sign {
    /// Whether it is this sign and means what it means outside of quotes.
    fn is(self, sign: char) -> bool {
        self.sign == sign && !self.quoted
    }
}

/// Reads one word.
fn word(begin: usize, mut signs: Vec<Sign>, was_quoted: bool) -> Option<Word> {
    if signs.is_empty() && !was_quoted {
        return None;
    }
    let negated = signs.len() > 1 && signs.first().is_some_and(|sign| sign.is('-'));
    if negated {
        signs.remove(0);
    }
    let at = begin + usize::from(negated);
    let colon = signs.iter().position(|sign| sign.is(':'));
    let key = colon.map(|end| signs.drain(..=end).take(end).map(|sign| sign.sign).collect::<String>());
    let values = signs.split(|sign| sign.is(',')).map(written);
    let is_something = |value: &Written| !value.text.is_empty() || value.stars != (false, false);
    let values: Vec<Written> = values.filter(is_something).collect();
    // Quotes around nothing look for nothing.
    let is_word = key.is_some() || !values.is_empty();
    is_word.then_some(Word {
        at,
        negated,
        key: key.map(|key| key.to_lowercase()),
        values,
    })
}

fn written(signs: &[Sign]) -> Written {
    let (first, rest) = match signs.split_first() {
        Some((star, rest)) if star.is('*') => (true, rest),
        _ => (false, signs),
    };
    let (last, rest) = match rest.split_last() {
        Some((star, rest)) if star.is('*') => (true, rest),
        _ => (first && rest.is_empty(), rest),
    };
    Written {
        text: rest.iter().map(|sign| sign.sign).collect(),
        at: signs.first().map_or(0, |sign| sign.at),
        stars: (first, last),
    }
}
