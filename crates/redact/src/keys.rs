//! Which names name a secret.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use super::json::KeyContext;

/// One word that names a secret. Plurals count, except of `token`: `max_tokens` and its like are counts.
const SECRET_WORDS: &[&str] = &[
    "apikey",
    "accesskey",
    "privatekey",
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
/// Words that name other things, too: what stands below them is looked at like the value of a name in a text.
const AMBIGUOUS_WORDS: &[&str] = &["pwd", "pass", "passphrase", "auth", "sig"];
/// The Chinese for `password`; it ends a name.
const PASSWORD_ZH: &str = "密码";
/// Names that are not those of a secret, though a word of them is.
const ORDINARY_NAMES: &[&[&str]] = &[
    &["next", "token"],
    &["token", "type"],
    &["eos", "token"],
    &["pad", "token"],
    &["stop", "token"],
];
/// Last words of names that say where a secret is, what it is called or how long it may be.
const ORDINARY_ENDS: &[&str] = &["file", "path", "url", "limit", "env", "endpoint"];
/// Something of this is in every name that the fixed rules can mean, in any letter case.
const HINTS: &[&str] = &[
    "key",
    "secret",
    "token",
    "pass",
    "pwd",
    "auth",
    "cookie",
    "credential",
    "sig",
    PASSWORD_ZH,
];
/// The same where `key` alone would stop the search of a text too often.
const TEXT_HINTS: &[&str] = &[
    "apikey",
    "api_key",
    "api-key",
    "api.key",
    "api key",
    "accesskey",
    "access_key",
    "access-key",
    "access.key",
    "access key",
    "privatekey",
    "private_key",
    "private-key",
    "private.key",
    "private key",
    "secret",
    "token",
    "pass",
    "pwd",
    "auth",
    "cookie",
    "credential",
    "sig",
    PASSWORD_ZH,
];

/// The rule for names, with what the person added.
#[derive(Debug)]
pub struct SecretKeys {
    /// Words that must stand side by side.
    extra: Vec<Vec<String>>,
    /// Tells most names apart without looking closer; absent where letters fold in ways it does not know.
    hints: Option<AhoCorasick>,
}

impl SecretKeys {
    /// The rule, and these names beside it.
    pub fn new(extra: &[String]) -> Self {
        let extra: Vec<Vec<String>> = extra
            .iter()
            .map(|name| split_words(name))
            .filter(|words| !words.is_empty())
            .collect();
        let mut hints: Vec<&str> = HINTS.to_vec();
        hints.extend(extra.iter().filter_map(|name| longest_word(name)));
        let plain = extra.iter().flatten().all(|word| word.is_ascii());
        let build = || {
            let mut builder = AhoCorasickBuilder::new();
            builder
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostFirst)
                .build(&hints)
                .ok()
        };
        let hints = if plain { build() } else { None };
        Self { extra, hints }
    }

    /// Something of this is in every name that can stand in a text, in any letter case of ASCII.
    pub fn text_hints(&self) -> impl Iterator<Item = String> {
        let added = self.extra.iter().filter_map(|name| longest_word(name));
        let fixed = TEXT_HINTS.iter().map(|hint| (*hint).to_owned());
        fixed.chain(added.flat_map(|word| [word.to_owned(), word.to_uppercase()]))
    }

    /// Whether strings at or below this key are secrets.
    pub fn is_secret_name(&self, key: &str) -> bool {
        self.context_of(key) == KeyContext::Secret
    }

    /// What a key says of what stands below it.
    pub fn context_of(&self, key: &str) -> KeyContext {
        if self.hints.as_ref().is_some_and(|hints| !hints.is_match(key)) {
            return KeyContext::Other;
        }
        let words = split_words(key);
        let added = |name: &Vec<String>| words.windows(name.len()).any(|part| matches_name(part, name));
        if self.extra.iter().any(added) {
            KeyContext::Secret
        } else if is_ordinary(&words) {
            KeyContext::Other
        } else if has_secret_word(&words) || has_secret_word(&split_at_signs(key)) {
            KeyContext::Secret
        } else if words.iter().any(|word| is_ambiguous_word(word)) {
            KeyContext::Ambiguous
        } else {
            KeyContext::Other
        }
    }
}

fn longest_word(name: &[String]) -> Option<&str> {
    name.iter().map(String::as_str).max_by_key(|word| word.len())
}

fn is_ordinary(words: &[String]) -> bool {
    words.iter().any(|word| word == "max")
        || ORDINARY_NAMES.iter().any(|name| words == *name)
        || words.last().is_some_and(|last| ORDINARY_ENDS.contains(&last.as_str()))
}

fn has_secret_word(words: &[String]) -> bool {
    words.iter().any(|word| is_secret_word(word)) || has_pair(words)
}

fn is_secret_word(word: &str) -> bool {
    let one = word.strip_suffix('s').filter(|_| word != "tokens").unwrap_or(word);
    SECRET_WORDS.contains(&one)
}

fn is_ambiguous_word(word: &str) -> bool {
    AMBIGUOUS_WORDS.contains(&word) || word.ends_with(PASSWORD_ZH)
}

fn has_pair(words: &[String]) -> bool {
    words
        .windows(2)
        .any(|pair| BEFORE_KEY.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "key" | "keys"))
}

/// Whether words of a key are those of a name; the last one may be its plural.
fn matches_name(part: &[String], name: &[String]) -> bool {
    let last = name.len() - 1;
    part[..last] == name[..last] && (part[last] == name[last] || part[last].strip_suffix('s') == Some(&name[last]))
}

/// The words of a key in small letters, split at its signs alone: `PassWord` is one.
fn split_at_signs(key: &str) -> Vec<String> {
    let parts = key.split(is_sign).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Whether words of a key are split here.
fn is_sign(char: char) -> bool {
    matches!(char, '_' | '-' | '.') || char.is_whitespace()
}

/// The words of a key in small letters: split at `_`, `-`, `.`, blanks and camel case.
fn split_words(key: &str) -> Vec<String> {
    let chars: Vec<char> = key.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, &char) in chars.iter().enumerate() {
        let cut = is_sign(char);
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
        let keys = SecretKeys::new(&[]);
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
            "accesskey",
            "api.key",
            "spring.datasource.password",
            "token_name",
            "--token",
        ] {
            assert!(keys.is_secret_name(key), "{key}");
        }
    }

    #[test]
    fn keys_that_name_no_secret() {
        let keys = SecretKeys::new(&[]);
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
            "密码",
            "令牌",
            "密钥",
            "apiVersionKey",
            "next_token",
            "NextToken",
            "token_type",
            "tokenType",
            "eos_token",
            "stop_token",
            "password_file",
            "PASSWORD_FILE",
            "credentialsPath",
            "token_url",
            "TOKEN_LIMIT",
            "api_key_env",
            "token_endpoint",
        ] {
            assert!(!keys.is_secret_name(key), "{key}");
        }
    }

    #[test]
    fn names_with_other_meanings_are_ambiguous() {
        let keys = SecretKeys::new(&[]);
        for key in [
            "pwd",
            "MYSQL_PWD",
            "pass",
            "DB_PASS",
            "passphrase",
            "auth",
            "_auth",
            "sig",
            "密码",
            "用户密码",
        ] {
            assert_eq!(keys.context_of(key), KeyContext::Ambiguous, "{key}");
        }
        for key in [
            "pwds",
            "passed",
            "compass",
            "author",
            "oauth",
            "signal",
            "design",
            "密码本",
            "auth_url",
            "max_pass",
        ] {
            assert_eq!(keys.context_of(key), KeyContext::Other, "{key}");
        }
    }

    #[test]
    fn names_that_the_user_added_are_secret() {
        let keys = SecretKeys::new(&[
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
            assert!(keys.is_secret_name(key), "{key}");
        }
        for key in ["assn", "id_customer", "customer_name_id", "budget", "密码本"] {
            assert!(!keys.is_secret_name(key), "{key}");
        }
        let plain = SecretKeys::new(&["ssn".into()]);
        assert!(plain.is_secret_name("UserSSN") && !plain.is_secret_name("name"));
    }
}
