//! Comparisons: `[ … ]`, `[[ … ]]` and the patterns of `case`.

use super::{Codes, Text};

/// The outcome of `[ … ]`, `test …` or `[[ … ]]`.
pub(super) fn test_outcome(name: &str, arguments: &[Text]) -> Codes {
    let arguments = match arguments.split_last() {
        Some((_, rest)) if name != "test" => rest,
        Some(_) | None => arguments,
    };
    match arguments {
        [negation, rest @ ..] if negation.single() == Some("!") && !rest.is_empty() => holds(name, rest).negated(),
        _ => holds(name, arguments),
    }
}

fn holds(name: &str, arguments: &[Text]) -> Codes {
    let of = |holds: bool| if holds { Codes::OK } else { Codes::ONE };
    let each = |text: &Text, test: &dyn Fn(&str) -> bool| match text {
        Text::OneOf(texts) => texts.iter().fold(Codes::NONE, |codes, text| codes | of(test(text))),
        Text::Any => Codes::OK_OR_ONE,
    };
    match arguments {
        [text] => each(text, &|text| !text.is_empty()),
        [operator, text] => match operator.single() {
            Some("-n") => each(text, &|text| !text.is_empty()),
            Some("-z") => each(text, &str::is_empty),
            _ => Codes::OK_OR_ONE,
        },
        [first, operator, second] => {
            let (Text::OneOf(firsts), Text::OneOf(seconds), Some(operator)) = (first, second, operator.single()) else {
                return Codes::OK_OR_ONE;
            };
            let pairs = firsts
                .iter()
                .flat_map(|first| seconds.iter().map(move |second| (first, second)));
            pairs.fold(Codes::NONE, |codes, (first, second)| {
                codes
                    | match compared(name, first, operator, second) {
                        Some(result) => of(result),
                        None => Codes::OK_OR_ONE,
                    }
            })
        }
        _ => Codes::OK_OR_ONE,
    }
}

/// The result of a comparison of two texts; `None` if it is not known.
fn compared(name: &str, first: &str, operator: &str, second: &str) -> Option<bool> {
    let equal = || {
        if name == "[[" {
            matches(second, first)
        } else {
            first == second
        }
    };
    let numbers = || Some((first.parse::<i64>().ok()?, second.parse::<i64>().ok()?));
    match operator {
        "=" | "==" => Some(equal()),
        "!=" => Some(!equal()),
        // Most expressions need something to match.
        "=~" if first.is_empty() && !second.is_empty() && !second.contains(['*', '?', '^', '$', '|']) => Some(false),
        "-eq" => numbers().map(|(first, second)| first == second),
        "-ne" => numbers().map(|(first, second)| first != second),
        "-gt" => numbers().map(|(first, second)| first > second),
        "-ge" => numbers().map(|(first, second)| first >= second),
        "-lt" => numbers().map(|(first, second)| first < second),
        "-le" => numbers().map(|(first, second)| first <= second),
        _ => None,
    }
}

/// Whether a text can be one of a clause's patterns, and what is left for the clauses behind it.
pub(super) fn match_clause(patterns: &str, text: &Text) -> (bool, Option<Text>) {
    let lines = patterns.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let written: String = lines.collect();
    let written = written.trim().trim_start_matches('(');
    let quotes = ['"', '\'', '\\'];
    let patterns: Vec<String> = written.split('|').map(|one| one.trim().replace(quotes, "")).collect();
    if patterns.iter().any(|pattern| pattern == "*") {
        return (true, None);
    }
    if patterns.iter().any(|pattern| pattern.contains(['$', '`'])) {
        return (true, Some(text.clone()));
    }
    match text {
        Text::Any => (true, Some(Text::Any)),
        Text::OneOf(texts) => {
            let (held, others): (Vec<&String>, Vec<&String>) = texts
                .iter()
                .partition(|text| patterns.iter().any(|pattern| matches(pattern, text)));
            let rest = Text::OneOf(others.iter().map(|text| (*text).clone()).collect());
            (!held.is_empty(), (!others.is_empty()).then_some(rest))
        }
    }
}

/// Whether a text fits a pattern of the shell. A list in brackets fits any character.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = &pattern[1..];
            let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            places.any(|at| matches(rest, &text[at..]))
        }
        Some(sign) => {
            let list_end = pattern.find(']').filter(|_| sign == '[');
            let rest = list_end.map_or(&pattern[sign.len_utf8()..], |end| &pattern[end + 1..]);
            let mut signs = text.chars();
            let next = signs.next();
            let fits = next.is_some_and(|next| sign == '?' || list_end.is_some() || next == sign);
            fits && matches(rest, signs.as_str())
        }
    }
}
