//! Which values after a name in a text are masked, and which are not.

use super::*;

#[test]
fn the_value_of_a_name_is_masked_however_it_is_assigned() {
    for (text, wanted) in [
        // Settings files.
        (
            "export GITHUB_TOKEN=abc123456 && x",
            "export GITHUB_TOKEN=‹redacted› && x",
        ),
        ("DB_PASSWORD='correct horse battery'", "DB_PASSWORD='‹redacted›'"),
        ("API_KEY=\"abcd efgh\"; run", "API_KEY=\"‹redacted›\"; run"),
        ("DB_PASSWORD=hunter2", "DB_PASSWORD=‹redacted›"),
        ("DB_PASSWORD=p@ss&w(rd#1", "DB_PASSWORD=‹redacted›"),
        ("x\n  - DB_PASSWORD=a&b\ny", "x\n  - DB_PASSWORD=‹redacted›\ny"),
        (
            "DB_PASS=a1b2\nMYSQL_PWD=c3d4\n",
            "DB_PASS=‹redacted›\nMYSQL_PWD=‹redacted›\n",
        ),
        (
            "aws_secret_access_key = abcd/efgh+ij==",
            "aws_secret_access_key = ‹redacted›",
        ),
        (
            "db:\n  password: hunter2\n  user: ann",
            "db:\n  password: ‹redacted›\n  user: ann",
        ),
        (
            "spring.datasource.password=hunter2",
            "spring.datasource.password=‹redacted›",
        ),
        ("token = \"abc\"", "token = \"‹redacted›\""),
        ("[x]\nclient_secret=abc1", "[x]\nclient_secret=‹redacted›"),
        (
            "//registry.example.net/:_authToken=abc1",
            "//registry.example.net/:_authToken=‹redacted›",
        ),
        // Queries and forms.
        (
            "https://x.example/?access_token=abc1&b=1",
            "https://x.example/?access_token=‹redacted›&b=1",
        ),
        ("password=abc1&user=ann", "password=‹redacted›&user=ann"),
        (
            "https://x.example/c?sv=2020&sig=ab%2Bc%3D",
            "https://x.example/c?sv=2020&sig=‹redacted›",
        ),
        // Headers.
        (
            "X-Api-Key: abc1\r\nAccept: text/html",
            "X-Api-Key: ‹redacted›\r\nAccept: text/html",
        ),
        ("Authorization: Bearer abc", "Authorization: Bearer ‹redacted›"),
        ("authorization: token abc1", "authorization: token ‹redacted›"),
        ("Authorization: abc1", "Authorization: ‹redacted›"),
        (
            "Authorization: Digest username=\"a\", response=\"b1\"\nx",
            "Authorization: Digest ‹redacted›\nx",
        ),
        (
            "Cookie: session=abc; a=b\nx",
            "Cookie: session=‹redacted›; a=‹redacted›\nx",
        ),
        (
            "Set-Cookie: id=abc; Path=/; HttpOnly",
            "Set-Cookie: id=‹redacted›; Path=/; HttpOnly",
        ),
        ("curl -H 'X-Api-Key: abc1' x", "curl -H 'X-Api-Key: ‹redacted›' x"),
        (
            "curl -H \"Cookie: a=b1; c=d1\" x",
            "curl -H \"Cookie: a=‹redacted›; c=‹redacted›\" x",
        ),
        // Source code.
        ("{'password': 'abc'}", "{'password': '‹redacted›'}"),
        ("{ password: \"abc\", n: 1 }", "{ password: \"‹redacted›\", n: 1 }"),
        ("'password' => 'abc',", "'password' => '‹redacted›',"),
        ("password := `abc`", "password := `‹redacted›`"),
        ("PASSWORD = b'abc'", "PASSWORD = b'‹redacted›'"),
        (
            "headers[\"Authorization\"] = \"abc\"",
            "headers[\"Authorization\"] = \"‹redacted›\"",
        ),
        (
            "[{'name': 'Authorization', 'value': 'abc'}]",
            "[{'name': 'Authorization', 'value': '‹redacted›'}]",
        ),
        ("<password>hunter2</password>", "<password>‹redacted›</password>"),
        (
            "say \"a \\\"quoted\\\" word\"; pwd=\"a\\\"b\"",
            "say \"a \\\"quoted\\\" word\"; pwd=\"‹redacted›\"",
        ),
        // JSON after other text.
        (
            "result: {\"password\": \"abc\"}",
            "result: {\"password\": \"‹redacted›\"}",
        ),
        (
            "got {\"a\": \"{\\\"api_key\\\": \\\"abc\\\"}\"}",
            "got {\"a\": \"{\\\"api_key\\\": \\\"‹redacted›\\\"}\"}",
        ),
        (
            "got {\"tokens\": 1, \"secrets\": [\"abc\", {\"x\": \"d\"}]} x",
            "got {\"tokens\": 1, \"secrets\": [\"‹redacted›\", {\"x\": \"‹redacted›\"}]} x",
        ),
        // Options.
        ("deploy --token abc --dry-run", "deploy --token ‹redacted› --dry-run"),
        ("mysql --password=abc1 db", "mysql --password=‹redacted› db"),
        ("x --api-key 'a b' y", "x --api-key '‹redacted›' y"),
        (
            "run([\"x\", \"--token\", \"abc\"])",
            "run([\"x\", \"--token\", \"‹redacted›\"])",
        ),
        // Chinese, mixed letter case, colour codes and escapes.
        ("密码：abc，请保密", "密码：‹redacted›，请保密"),
        ("设置API_TOKEN=abc1，然后", "设置API_TOKEN=‹redacted›，然后"),
        ("密码 PASSWORD=密码密码密码", "密码 PASSWORD=‹redacted›"),
        ("dB_PaSsWoRd: abc1.", "dB_PaSsWoRd: ‹redacted›."),
        (
            "\u{1b}[31mpassword: abc1\u{1b}[0m",
            "\u{1b}[31mpassword: ‹redacted›\u{1b}[0m",
        ),
        ("a\\npassword=abc1\\nb", "a\\npassword=‹redacted›\\nb"),
    ] {
        assert_eq!(masked(text), wanted, "{text}");
        assert_eq!(masked(wanted), wanted, "again: {wanted}");
    }
}

#[test]
fn values_that_are_not_secrets_are_not_masked() {
    for text in [
        // No value, a variable, or source code.
        "PASSWORD=",
        "API_KEY=$API_KEY",
        "API_TOKEN=${TOKEN}",
        "set TOKEN=%TOKEN%",
        "password: {{ vault.password }}",
        "Bearer $TOKEN",
        "TOKEN=\"${USER}:${PASS}\"",
        "export GITHUB_TOKEN=$(gh auth token)",
        "TOKEN=\"$(security find-generic-password)\"",
        "TOKEN=`cat x`",
        "API_KEY=process.env.API_KEY",
        "API_KEY=os.environ[\"API_KEY\"]",
        "let cookie = format!(\"{name}={value}\")",
        "API_KEY=read_from_keychain(name)",
        "token = self.token",
        "let token: Option<String> = None;",
        "if TOKEN==abcdefghijk",
        "Token::new()",
        // Names that do not name a secret.
        "NAME=abcdefghijkl",
        "TOKEN_LIMIT=100000000",
        "MAX_TOKENS=4096",
        "PASSWORD_FILE=/run/secrets/db",
        "CREDENTIALS_PATH=~/.aws/credentials",
        "token_type=bearer",
        "next_token: abc1",
        "TOKENIZERS_PARALLELISM=false_value",
        "SECRETARIAT=building",
        // File names, URLs, numbers, and words for no value.
        "credentials: secrets/prod.yaml",
        "SECRET = config.json",
        "auth: ./id_rsa",
        "COOKIE_DOMAIN=.example.com",
        "AUTHORIZATION_SERVER=https://x.example/authorize",
        "token count: 5, token=17",
        "secret: false, password: null",
        "password: string;",
        // Options without a value.
        "deploy --token --dry-run",
        "gh auth login --with-token < file",
        // Prose about secrets.
        "the token count is 5",
        "a token, a secret and a password",
        "{\"max_tokens\": \"abc\"} and \"tokens\": \"abc\"",
        "let token = request.token;",
    ] {
        assert_eq!(masked(text), text, "{text}");
    }
}

#[test]
fn a_possible_variable_is_masked_only_in_its_place() {
    let text = "{ authorization: accessToken } and accessToken";
    assert_eq!(masked(text), "{ authorization: ‹redacted› } and accessToken");
    let text = "{ authorization: \"accessToken\" } and accessToken";
    assert_eq!(masked(text), "{ authorization: \"‹redacted›\" } and ‹redacted›");
}

#[test]
fn names_that_the_user_added_are_recognized_in_texts() {
    let redactor = redactor_with(&["ssn", "身份证"], &[]);
    assert_eq!(redactor.text("user_ssn: 12-34").0, "user_ssn: 12-34");
    assert_eq!(redactor.text("user_ssn: a12-34").0, "user_ssn: ‹redacted›");
    assert_eq!(redactor.text("身份证：a12").0, "身份证：‹redacted›");
}

#[test]
fn a_value_found_in_a_text_is_masked_everywhere_in_the_trace() {
    let after = redacted(
        json!({ "user_input": "curl -H 'Authorization: Bearer tok-12345678' -u ann:tok-87654321" }),
        vec![step(vec![attempt(
            "",
            "echo tok-12345678 tok-87654321",
            "{\"tok-12345678\": 1}",
        )])],
    );
    assert_eq!(
        after.payload_before["user_input"],
        "curl -H 'Authorization: Bearer ‹redacted›' -u ann:‹redacted›"
    );
    let one = &after.steps[0].attempts[0];
    assert_eq!(
        (one.stdout.as_str(), one.stderr.as_str()),
        ("echo ‹redacted› ‹redacted›", "{\"‹redacted›\": 1}")
    );
}
