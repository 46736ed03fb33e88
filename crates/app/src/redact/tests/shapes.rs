//! What texts are masked by their looks.

use super::*;

fn is_masked(text: &str) -> bool {
    masked(text).contains(REPLACEMENT)
}

#[test]
fn the_usual_keys_are_masked() {
    for (text, wanted) in [
        (
            "Authorization: Bearer abc.def-123~x",
            "Authorization: Bearer ‹redacted›",
        ),
        ("bearer   abcdefghij", "bearer   ‹redacted›"),
        ("BEARER abc123, and", "BEARER ‹redacted›, and"),
        (
            "-H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='",
            "-H 'Authorization: Basic ‹redacted›'",
        ),
        ("basic dXNlcjpwYXNz", "basic ‹redacted›"),
        ("Basic abc123def456", "Basic ‹redacted›"),
        ("key=sk-proj-abc_DEF-123456789.", "key=‹redacted›."),
        ("sk-ant-api03-abcdefgh", "‹redacted›"),
        ("密钥sk-abcdefghijk。", "密钥‹redacted›。"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "‹redacted›"),
        ("https://x:gho_0123456789@github.com", "https://x:‹redacted›@github.com"),
        ("github_pat_11ABCDEFG0123456789_abc", "‹redacted›"),
        ("AKIAIOSFODNN7EXAMPLE", "‹redacted›"),
        ("id: LTAI5tAbCdEfGhIjKlMn", "id: ‹redacted›"),
        ("(AKIDz8krbsJ5yKBZQpn74WFkmLPx3)", "(‹redacted›)"),
        ("xoxb-123456789012-abcdef", "‹redacted›"),
        ("xoxp-1-2-3-abcdefgh", "‹redacted›"),
        (
            "a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N b",
            "a ‹redacted› b",
        ),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.", "‹redacted›"),
        ("\\nsk-abcdefghijk\\n", "\\n‹redacted›\\n"),
        ("\u{1b}[31mghp_0123456789\u{1b}[0m", "\u{1b}[31m‹redacted›\u{1b}[0m"),
        ("\\u001b[1;31mAKIAIOSFODNN7EXAMPLE", "\\u001b[1;31m‹redacted›"),
    ] {
        assert_eq!(masked(text), wanted, "{text}");
    }
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
    let cut = "x -----BEGIN PRIVATE KEY-----\nMIIEow+/=\nabcd";
    assert_eq!(masked(cut), "x ‹redacted›");
    let public = "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----";
    assert_eq!(masked(public), public);
    let prose = "looks for `-----BEGIN PRIVATE KEY-----`; nothing else";
    assert_eq!(masked(prose), "looks for `‹redacted›`; nothing else");
}

#[test]
fn assignments_to_variables_that_name_a_secret_are_masked() {
    for (text, wanted) in [
        (
            "export GITHUB_TOKEN=abc123456 && x",
            "export GITHUB_TOKEN=‹redacted› && x",
        ),
        ("DB_PASSWORD='correct horse battery'", "DB_PASSWORD='‹redacted›'"),
        ("API_KEY=\"abcd efgh\"; run", "API_KEY=\"‹redacted›\"; run"),
        (
            "{\"command\": \"AWS_SECRET_ACCESS_KEY=abcd/efgh+ij== aws s3 ls\"}",
            "{\"command\": \"AWS_SECRET_ACCESS_KEY=‹redacted› aws s3 ls\"}",
        ),
        ("--env=MY_SECRET=abcdefgh", "--env=MY_SECRET=‹redacted›"),
        ("A_TOKEN=\\\"abcdefgh\\\"", "A_TOKEN=\\\"‹redacted›\\\""),
        ("密码 PASSWORD=密码密码密码", "密码 PASSWORD=‹redacted›"),
    ] {
        assert_eq!(masked(text), wanted, "{text}");
    }
    for text in [
        "TOKEN=short",
        "MAX_TOKENS=123456789",
        "NAME=abcdefghijkl",
        "TOKEN=$OTHER_TOKEN_HERE",
        "TOKEN=\"$(security find-generic-password)\"",
        "TOKEN=\"${OTHER_TOKEN}\"",
        "API_KEY=process.env.API_KEY",
        "API_KEY=os.environ[\"API_KEY\"]",
        "API_KEY=read_from_keychain(name)",
        "if TOKEN==abcdefghijk",
        "my_token=abcdefghijk",
        "xTOKEN=abcdefghijk",
    ] {
        assert_eq!(masked(text), text, "{text}");
    }
}

#[test]
fn words_are_left_alone() {
    for text in [
        "task-management and disk-usage-report",
        "risk-assessment-2024",
        "sk-SK",
        "Basic functionality, basic usage, Basic Authentication",
        "Basic TypeScript and basic JavaScript",
        "basic src/components/index",
        "the bearer of bad news; bearer token; Bearer authentication",
        "Bearer $TOKEN",
        "Bearer: yes",
        "AKIA is a prefix, LTAI too",
        "eyJ is how a JWT begins",
        "eyJhbGciOiJIUzI1NiJ9",
        "xoxo, xox-",
        "MYAKIAIOSFODNN7EXAMPLE",
        "password: hunter2",
        "https://example.com/?tokens=3&a=b",
        "./target/release/bearer-x",
    ] {
        assert_eq!(masked(text), text, "{text}");
    }
    assert!(!is_masked("let token = request.token;"));
}

#[test]
fn what_a_text_showed_is_followed_through_the_trace() {
    let after = redacted(
        json!({ "user_input": "curl -H 'Authorization: Bearer tok-12345678'" }),
        vec![step(vec![attempt("", "echo tok-12345678", "{\"tok-12345678\": 1}")])],
    );
    assert_eq!(
        after.payload_before["user_input"],
        "curl -H 'Authorization: Bearer ‹redacted›'"
    );
    let one = &after.steps[0].attempts[0];
    assert_eq!(
        (one.stdout.as_str(), one.stderr.as_str()),
        ("echo ‹redacted›", "{\"‹redacted›\": 1}")
    );
}
