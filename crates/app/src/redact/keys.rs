//! Which keys name a secret.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

/// One word that names a secret. Plurals count, except of `token`: `max_tokens` and its like are counts.
const WORDS: &[&str] = &[
    "apikey",
    "secret",
    "token",
    "password",
    "passwd",
    "authorization",
    "cookie",
    "credential",
];
/// Words that name a secret together with `key` behind them.
const BEFORE_KEY: &[&str] = &["api", "access", "private"];
/// Something of this is in every key that [`WORDS`] or [`BEFORE_KEY`] can mean.
const HINTS: &[&str] = &["key", "secret", "token", "passw", "authoriz", "cookie", "credential"];

/// The rule for keys, with what the person added.
#[derive(Debug)]
pub struct Keys {
    /// Words that must stand side by side.
    extra: Vec<Vec<String>>,
    /// Tells most keys apart without looking closer; absent where letters fold in ways it does not know.
    hints: Option<AhoCorasick>,
}

impl Keys {
    /// The rule, and these names beside it.
    pub fn new(extra: &[String]) -> Self {
        let extra: Vec<Vec<String>> = extra
            .iter()
            .map(|name| words(name))
            .filter(|words| !words.is_empty())
            .collect();
        let longest = |words: &Vec<String>| words.iter().max_by_key(|word| word.len()).cloned();
        let mut hints: Vec<String> = HINTS.iter().map(|hint| (*hint).to_owned()).collect();
        hints.extend(extra.iter().filter_map(longest));
        let plain = extra.iter().flatten().all(|word| word.is_ascii());
        let build = || {
            let mut builder = AhoCorasickBuilder::new();
            builder
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostFirst)
                .build(&hints)
                .ok()
        };
        Self {
            extra,
            hints: if plain { build() } else { None },
        }
    }

    /// Whether strings at or below this key are secrets.
    pub fn name_a_secret(&self, key: &str) -> bool {
        if self.hints.as_ref().is_some_and(|hints| !hints.is_match(key)) {
            return false;
        }
        let words = words(key);
        let added = self
            .extra
            .iter()
            .any(|name| words.windows(name.len()).any(|part| same(part, name)));
        added
            || (!words.iter().any(|word| word == "max") && (words.iter().any(|word| is_word(word)) || has_pair(&words)))
    }
}

fn is_word(word: &str) -> bool {
    let one = word.strip_suffix('s').filter(|_| word != "tokens").unwrap_or(word);
    WORDS.contains(&one)
}

fn has_pair(words: &[String]) -> bool {
    words
        .windows(2)
        .any(|pair| BEFORE_KEY.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "key" | "keys"))
}

/// Whether words of a key are those of a name; the last one may be its plural.
fn same(part: &[String], name: &[String]) -> bool {
    let last = name.len() - 1;
    part[..last] == name[..last] && (part[last] == name[last] || part[last].strip_suffix('s') == Some(&name[last]))
}

/// The words of a key in small letters: split at `_`, `-`, blanks and camel case.
fn words(key: &str) -> Vec<String> {
    let chars: Vec<char> = key.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, &char) in chars.iter().enumerate() {
        let cut = char == '_' || char == '-' || char.is_whitespace();
        if cut || (char.is_uppercase() && begins_word(&chars, index)) {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if cut {
                continue;
            }
        }
        word.extend(char.to_lowercase());
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A capital begins a word after a small letter or digit (`apiKey`), and as the last of several before a small letter
/// (`XApiKey`, `APIKey`).
fn begins_word(chars: &[char], index: usize) -> bool {
    let Some(before) = index.checked_sub(1).and_then(|before| chars.get(before)) else {
        return false;
    };
    !before.is_uppercase() || chars.get(index + 1).is_some_and(|after| after.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_name_a_secret() {
        let keys = Keys::new(&[]);
        for key in [
            "apikey",
            "APIKEY",
            "ApiKey",
            "apiKey",
            "api_key",
            "api-key",
            "API KEY",
            "x-api-key",
            "XApiKey",
            "APIKey",
            "OPENAI_API_KEY",
            "openaiApiKeys",
            "accessKeyId",
            "AWS_SECRET_ACCESS_KEY",
            "access_keys",
            "privateKey",
            "private key",
            "secret",
            "Secrets",
            "client_secret",
            "clientSecret",
            "token",
            "Token",
            "GITHUB_TOKEN",
            "refreshToken",
            "token_count",
            "oauth2Token",
            "OAuthToken",
            "password",
            "passwords",
            "db-password",
            "passwd",
            "Authorization",
            "proxy-authorization",
            "cookie",
            "Set-Cookie",
            "cookies",
            "credential",
            "credentials",
            "awsCredentials",
            "session\u{a0}token",
        ] {
            assert!(keys.name_a_secret(key), "{key}");
        }
    }

    #[test]
    fn keys_that_do_not() {
        let keys = Keys::new(&[]);
        for key in [
            "",
            "tokens",
            "max_tokens",
            "maxTokens",
            "prompt_tokens",
            "max_token",
            "maxToken",
            "MAX_SECRET_LENGTH",
            "tokenizer",
            "tokenize",
            "key",
            "keys",
            "keyboard",
            "primary_key",
            "publicKey",
            "key_api",
            "api",
            "access",
            "accessToKey",
            "monkey",
            "author",
            "authorized",
            "secretary",
            "passport",
            "pass",
            "cookiecutter",
            "accesskey",
            "密码",
            "令牌",
            "密钥",
            "apiVersionKey",
            "api.key",
        ] {
            assert!(!keys.name_a_secret(key), "{key}");
        }
    }

    #[test]
    fn names_that_a_person_added() {
        let keys = Keys::new(&[
            "ssn".into(),
            "customerId".into(),
            "密码".into(),
            "max_budget".into(),
            " ".into(),
        ]);
        for key in [
            "ssn",
            "SSN",
            "user_ssn",
            "ssns",
            "customer_id",
            "CustomerIds",
            "密码",
            "user-密码",
            "max_budget",
            "token",
        ] {
            assert!(keys.name_a_secret(key), "{key}");
        }
        for key in ["assn", "id_customer", "customer_name_id", "budget", "密码本"] {
            assert!(!keys.name_a_secret(key), "{key}");
        }
        let plain = Keys::new(&["ssn".into()]);
        assert!(plain.name_a_secret("UserSSN") && !plain.name_a_secret("name"));
    }
}
