//! What is masked by its looks: for each row of the table a text that is, and one like it that is not.

use super::table::SHAPES;
use super::*;

/// Stands in most of them.
const R: &str = "Zq7Vb2Nw9Xk4Lm1Pd8Rs5Tg3";

/// The row; a text of that shape, in which `{}` is [`R`]; what is left of it; and an ordinary text.
const ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "bearer",
        "x Bearer abc.{}~x, and",
        "x Bearer ‹redacted›, and",
        "the bearer of bad news; Bearer authentication; Bearer: yes",
    ),
    (
        "basic",
        "x Basic dXNlcjpwYXNzd29yZA==",
        "x Basic ‹redacted›",
        "Basic python3.11 setup, basic 2-column layout, basic understanding=",
    ),
    (
        "jwt",
        "a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{}In0.{} b",
        "a ‹redacted› b",
        "eyJ is how a JWT begins: eyJhbGciOiJIUzI1NiJ9",
    ),
    (
        "sk",
        "key=sk-proj-{}_{}.",
        "key=‹redacted›.",
        "sk-button-primary-large, task-management-2024, sk-SK, scikit-learn/sk-dist-plugin",
    ),
    (
        "stripe",
        "rk_live_{} sk_test_{}",
        "‹redacted› ‹redacted›",
        "sk_test_helper_of_1, risk_live_{}",
    ),
    ("stripe webhook", "whsec_{}", "‹redacted›", "whsec_ is a prefix"),
    (
        "github",
        "https://x:gho_{}@github.com",
        "https://x:‹redacted›@github.com",
        "ghp_ is a prefix",
    ),
    (
        "github fine-grained",
        "github_pat_11ABC_{}",
        "‹redacted›",
        "github_pattern",
    ),
    ("gitlab", "glpat-{}", "‹redacted›", "glpat-form"),
    (
        "aws",
        "AKIAQ7VB2NW9XK4LM1PD ASIAQ7VB2NW9XK4LM1PD",
        "‹redacted› ‹redacted›",
        "AKIA is a prefix; MYAKIAQ7VB2NW9XK4LM1PD; ASIA2024",
    ),
    ("alibaba", "id: LTAI5t{}", "id: ‹redacted›", "LTAIPEI101"),
    ("tencent", "(AKID{}abcd)", "(‹redacted›)", "AKID is a prefix"),
    (
        "slack",
        "xoxb-123456789012-{}",
        "‹redacted›",
        "xoxo-love-letters-2024, xox-games, xoxb-abcdefghijklmnop",
    ),
    (
        "slack app",
        "xapp-1-A012-{}",
        "‹redacted›",
        "xapp-icon, xapp-icon-in-the-dock",
    ),
    (
        "slack hook",
        "https://hooks.slack.com/services/T000/B000/{} x",
        "https://hooks.slack.com/services/‹redacted› x",
        "https://hooks.slack.com/docs",
    ),
    (
        "discord hook",
        "https://discord.com/api/v10/webhooks/123456789/{}",
        "https://discord.com/api/v10/webhooks/‹redacted›",
        "https://discord.com/channels/123456789/123456789",
    ),
    (
        "telegram",
        "https://api.telegram.org/bot110201543:AA{}abcdefghi/getMe",
        "https://api.telegram.org/bot110201543:‹redacted›/getMe",
        "00:11:22:AA:33, a:AA{}abcdefghi",
    ),
    ("google key", "?key=AIza{}abcdefghijk&x", "?key=‹redacted›&x", "AIzawa"),
    ("google token", "ya29.{}", "‹redacted›", "ya29.example"),
    ("google refresh", "'1//0{}'", "'‹redacted›'", "1//0 and 11//0{}"),
    (
        "hugging face",
        "hf_{}abcdefghij",
        "‹redacted›",
        "hf_hub_download, hf_transformers",
    ),
    (
        "npm",
        "npm_{}abcdefghijkl",
        "‹redacted›",
        "npm_config_registry, npm_package_version_1",
    ),
    (
        "pypi",
        "pypi-AgEIcHlwaS5vcmc{}",
        "‹redacted›",
        "pypi-server-of-the-company-2",
    ),
    ("sendgrid", "SG.{}.{}{}", "‹redacted›", "SG.example, SG.Controllers"),
    ("vault", "hvs.{}", "‹redacted›", "hvs.example"),
    (
        "digitalocean",
        "dop_v1_zq7vb2nw9xk4lm1pd8rs5tg3",
        "‹redacted›",
        "dop_v1_2",
    ),
    (
        "azure",
        "AccountName=x;AccountKey={}/{}==;EndpointSuffix=y",
        "AccountName=x;AccountKey=‹redacted›;EndpointSuffix=y",
        "AccountKey=none",
    ),
    (
        "age",
        "AGE-SECRET-KEY-1Q7VB2NW9XK4LM1PDQQQ",
        "‹redacted›",
        "AGE-SECRET-KEY-1 is a prefix",
    ),
    (
        "putty",
        "Private-Lines: 2\n{}\n{}\nPrivate-MAC: x",
        "Private-Lines: 2\n‹redacted›Private-MAC: x",
        "Private-Lines: many",
    ),
    (
        "private key in base64",
        "key: LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t{}",
        "key: ‹redacted›",
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{}",
    ),
    (
        "mailgun",
        "key-zq7vb2nw9xk4lm1pd8rs5tg301234567",
        "‹redacted›",
        "key-value, key-1",
    ),
    ("firebase", "x:APA91b{}{}", "x:‹redacted›", "APA91b is a prefix"),
    (
        "password in a URL",
        "postgres://app:{}@db.example:5432/x redis://:p4ss@h \"amqp:\\/\\/u:p4ss@h\" ftp://u:1234@h",
        "postgres://app:‹redacted›@db.example:5432/x redis://:‹redacted›@h \"amqp:\\/\\/u:‹redacted›@h\" ftp://u:‹redacted›@h",
        "https://x.example:8080/a@b ssh://git@x.example postgres://app:$PASSWORD@db http://u:${X}@h f\"pg://{u}:{p}@h\"",
    ),
    (
        "user and password",
        "curl -u admin:{} x; curl -u 'ann:pw1' y",
        "curl -u admin:‹redacted› x; curl -u 'ann:‹redacted›' y",
        "docker run -u 1000:1000; x -u a; -update:now; y -u $U:$P",
    ),
    (
        "user and password in words",
        "curl --user admin:{} --proxy-user=ann:pw1 x",
        "curl --user admin:‹redacted› --proxy-user=ann:‹redacted› x",
        "docker run --user 1000:1000; --user https://x.example; --user-agent a:b",
    ),
    (
        "sshpass",
        "sshpass -p {} ssh x",
        "sshpass -p ‹redacted› ssh x",
        "sshpass -p $X ssh x; sshpass -e",
    ),
    (
        "netrc",
        "machine x login a password {}",
        "machine x login a password ‹redacted›",
        "a login with password protection",
    ),
];

#[test]
fn every_shape_is_masked_and_what_is_like_it_is_not() {
    for (row, text, wanted, ordinary) in ROWS {
        let text = text.replace("{}", R);
        assert_eq!(masked(&text), *wanted, "{row}: {text}");
        let ordinary = ordinary.replace("{}", R);
        assert_eq!(masked(&ordinary), ordinary, "{row}");
    }
}

#[test]
fn every_row_of_the_table_has_a_test_and_a_pattern_that_compiles() {
    let named: Vec<&str> = SHAPES.iter().map(|shape| shape.name).collect();
    let tested: Vec<&str> = ROWS.iter().map(|(row, ..)| *row).collect();
    assert_eq!(named, tested);
    for shape in SHAPES {
        assert!(Regex::new(shape.pattern).is_ok(), "{}", shape.name);
        assert!(!shape.hints.is_empty(), "{}", shape.name);
    }
}

#[test]
fn a_hint_does_not_hide_a_longer_one() {
    let hints: Vec<&str> = SHAPES.iter().flat_map(|shape| shape.hints).copied().collect();
    for (at, hint) in hints.iter().enumerate() {
        let hidden = hints[at + 1..]
            .iter()
            .find(|later| later.to_lowercase().starts_with(&hint.to_lowercase()));
        assert_eq!(hidden, None, "{hint}");
    }
}

#[test]
fn a_shape_is_found_behind_escapes_colours_and_other_letters() {
    for (text, wanted) in [
        ("密钥sk-{}。", "密钥‹redacted›。"),
        ("\\nsk-{}\\n", "\\n‹redacted›\\n"),
        ("\u{1b}[31mghp_{}\u{1b}[0m", "\u{1b}[31m‹redacted›\u{1b}[0m"),
        ("\\u001b[1;31mAKIAIOSFODNN7EXAMPLE", "\\u001b[1;31m‹redacted›"),
        ("sk-foo-bar-baz-ghp_{}", "‹redacted›"),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.", "‹redacted›"),
        ("BEARER abc123, and", "BEARER ‹redacted›, and"),
        (
            "-H 'Authorization: Basic dXNlcjpwYXNz'",
            "-H 'Authorization: Basic ‹redacted›'",
        ),
    ] {
        assert_eq!(masked(&text.replace("{}", R)), wanted, "{text}");
    }
}

#[test]
fn bot_tokens_of_discord_are_masked() {
    let token = format!("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.{R}");
    assert_eq!(masked(&format!("Bot {token} x")), "Bot ‹redacted› x");
    for text in ["Module.prefix.name", "a.bcdefg.h", "1.234567.8"] {
        assert_eq!(masked(text), text);
    }
    assert_eq!(
        masked(&token.replace("Cl2FMQ", "Cl2FM")),
        token.replace("Cl2FMQ", "Cl2FM")
    );
}

#[test]
fn private_keys_are_masked_from_begin_to_end() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nabc\n-----END RSA PRIVATE KEY-----";
    assert_eq!(masked(&format!("a\n{key}\nb {key} c")), "a\n‹redacted›\nb ‹redacted› c");
    let escaped = key.replace('\n', "\\n");
    assert_eq!(masked(&format!("k = \"{escaped}\"")), "k = \"‹redacted›\"");
    for kind in ["", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "] {
        let key = format!("-----BEGIN {kind}PRIVATE KEY-----\nabc\n-----END {kind}PRIVATE KEY-----\n");
        assert_eq!(masked(&key), "‹redacted›\n");
    }
    let block = "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVY\n-----END PGP PRIVATE KEY BLOCK-----\n";
    assert_eq!(masked(block), "‹redacted›\n");
    let cut = "x -----BEGIN PRIVATE KEY-----\nMIIEow+/=\nabcd";
    assert_eq!(masked(cut), "x ‹redacted›");
    let public = "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----";
    assert_eq!(masked(public), public);
    let prose = "looks for `-----BEGIN PRIVATE KEY-----`; nothing else";
    assert_eq!(masked(prose), "looks for `‹redacted›`; nothing else");
}

#[test]
fn words_are_left_alone() {
    for text in [
        "task-management and disk-usage-report",
        "risk-assessment-2024",
        "Basic functionality, basic usage, Basic Authentication",
        "Basic TypeScript and basic JavaScript",
        "basic src/components/index",
        "Basic C++11/C++14 features",
        "https://example.com/?tokens=3&a=b",
        "./target/release/bearer-x",
    ] {
        assert_eq!(masked(text), text, "{text}");
    }
}
