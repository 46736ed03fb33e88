//! Decides which names name a secret.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use super::json::KeyContext;

/// Words that name a secret. Their plurals do too, except `tokens`: names such as `max_tokens` are counts.
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
/// Words that name a secret when `key` follows.
const BEFORE_KEY: &[&str] = &["api", "access", "private"];
/// Words that may name a secret or something else. A value at such a key is masked only if it is written out, like the
/// value of a name in a text.
const AMBIGUOUS_WORDS: &[&str] = &["pwd", "pass", "passphrase", "auth", "sig"];
/// The Chinese word for `password`. It counts at the end of a word.
const PASSWORD_ZH: &str = "密码";
/// Names that contain a word of a secret but do not name one.
const ORDINARY_NAMES: &[&[&str]] = &[
    &["next", "token"],
    &["token", "type"],
    &["eos", "token"],
    &["pad", "token"],
    &["stop", "token"],
];
/// Last words of names that give the location, the name or the size limit of a secret, not the secret itself.
const ORDINARY_ENDS: &[&str] = &["file", "path", "url", "limit", "env", "endpoint"];
/// Every name that a fixed rule can match contains one of these, in any letter case.
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
/// The hints for names in a text. `key` alone is too frequent there and would slow down the search.
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

/// The rule for names, with the names that the user added.
#[derive(Debug)]
pub struct SecretKeys {
    /// The names that the user added, each split into words. The words must be next to each other.
    extra: Vec<Vec<String>>,
    /// Quickly rejects most names. `None` if an added name is not ASCII: the search ignores letter case only for ASCII.
    hints: Option<AhoCorasick>,
}

impl SecretKeys {
    /// Creates the rule. `extra` are the names that the user added.
    pub fn new(extra: &[String]) -> Self {
        let extra: Vec<Vec<String>> = extra
            .iter()
            .map(|name| split_words(name))
            .filter(|words| !words.is_empty())
            .collect();
        let mut hints: Vec<&str> = HINTS.to_vec();
        hints.extend(extra.iter().filter_map(|name| longest_word(name)));
        let all_ascii = extra.iter().flatten().all(|word| word.is_ascii());
        let build = || {
            let mut builder = AhoCorasickBuilder::new();
            builder
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostFirst)
                .build(&hints)
                .ok()
        };
        let hints = if all_ascii { build() } else { None };
        Self { extra, hints }
    }

    /// Returns the hints for names in a text. Every name that the rule matches contains one of them, in any ASCII
    /// letter case.
    pub fn text_hints(&self) -> impl Iterator<Item = String> {
        let added = self.extra.iter().filter_map(|name| longest_word(name));
        let fixed = TEXT_HINTS.iter().map(|hint| (*hint).to_owned());
        fixed.chain(added.flat_map(|word| [word.to_owned(), word.to_uppercase()]))
    }

    /// Whether strings at or below this key are secrets.
    pub fn is_secret_name(&self, key: &str) -> bool {
        self.context_of(key) == KeyContext::Secret
    }

    /// Returns the context that a key gives to the values below it.
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
        } else if has_secret_word(&words) || has_secret_word(&split_at_separators(key)) {
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
    let singular = word.strip_suffix('s').filter(|_| word != "tokens").unwrap_or(word);
    SECRET_WORDS.contains(&singular)
}

fn is_ambiguous_word(word: &str) -> bool {
    AMBIGUOUS_WORDS.contains(&word) || word.ends_with(PASSWORD_ZH)
}

fn has_pair(words: &[String]) -> bool {
    words
        .windows(2)
        .any(|pair| BEFORE_KEY.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "key" | "keys"))
}

/// Whether these words of a key are the words of a name. The last word may be a plural.
fn matches_name(part: &[String], name: &[String]) -> bool {
    let last = name.len() - 1;
    part[..last] == name[..last] && (part[last] == name[last] || part[last].strip_suffix('s') == Some(&name[last]))
}

/// Returns the words of a key in lower case, split at separators only: `PassWord` is one word.
fn split_at_separators(key: &str) -> Vec<String> {
    let parts = key.split(is_separator).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect()
}

/// Whether this character separates the words of a key.
fn is_separator(char: char) -> bool {
    matches!(char, '_' | '-' | '.') || char.is_whitespace()
}

/// Returns the words of a key in lower case, split at `_`, `-`, `.`, white space and camel case.
fn split_words(key: &str) -> Vec<String> {
    let chars: Vec<char> = key.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, &char) in chars.iter().enumerate() {
        let at_separator = is_separator(char);
        if at_separator || (char.is_uppercase() && begins_word(&chars, index)) {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if at_separator {
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

/// Whether the capital letter at this index begins a word: after a character that is not a capital (`apiKey`), or as
/// the last of several capitals before a lower-case letter (`XApiKey`, `APIKey`).
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
    fn names_of_secrets_are_secret() {
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
    fn names_of_other_things_are_not_secret() {
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
