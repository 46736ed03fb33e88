//! Plain scalars by the core schema of YAML 1.2: `yes`, `no` and `on` are strings.

use serde_json::{Number, Value};

/// Resolves a plain scalar. Infinity and not-a-number, which JSON does not have, stay strings.
pub fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let based = |prefix: &str, radix| {
        text.strip_prefix(prefix)
            .and_then(|digits| u64::from_str_radix(digits, radix).ok())
    };
    if text.starts_with("0x") || text.starts_with("0o") {
        // `from_str_radix` would accept a sign; the schema does not.
        let bare = !text[2..].starts_with(['+', '-']);
        return based("0x", 16)
            .or_else(|| based("0o", 8))
            .filter(|_| bare)
            .map(Number::from);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let unsigned = text.strip_prefix('+').unwrap_or(text);
        return unsigned
            .parse::<i64>()
            .map(Number::from)
            .or_else(|_| unsigned.parse::<u64>().map(Number::from))
            .ok()
            .or_else(|| unsigned.parse::<f64>().ok().and_then(Number::from_f64));
    }
    if is_float(digits) {
        text.parse::<f64>().ok().and_then(Number::from_f64)
    } else {
        None
    }
}

/// Whether the text matches `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, which is a float without its sign.
fn is_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mantissa_ok = all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let exponent_ok = exponent.is_none_or(|text| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && all_digits(digits)
    });
    mantissa_ok && exponent_ok
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_core_schema_makes_a_scalar_something_else_than_text() {
        let table = [
            ("", json!(null)),
            ("~", json!(null)),
            ("Null", json!(null)),
            ("nULL", json!("nULL")),
            ("true", json!(true)),
            ("FALSE", json!(false)),
            ("yes", json!("yes")),
            ("on", json!("on")),
            ("No", json!("No")),
            ("0", json!(0)),
            ("-7", json!(-7)),
            ("+7", json!(7)),
            ("010", json!(10)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("0x-1", json!("0x-1")),
            ("0b1", json!("0b1")),
            ("1_000", json!("1_000")),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("1.5", json!(1.5)),
            (".5", json!(0.5)),
            ("5.", json!(5.0)),
            ("1e3", json!(1000.0)),
            (".", json!(".")),
            ("-", json!("-")),
            ("1e", json!("1e")),
            (".inf", json!(".inf")),
            (".nan", json!(".nan")),
            ("12:30", json!("12:30")),
            ("2026-01-15", json!("2026-01-15")),
        ];
        for (text, value) in table {
            assert_eq!(resolve(text), value, "{text}");
        }
    }
}
