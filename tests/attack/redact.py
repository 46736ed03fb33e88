"""Redaction: plants made-up secrets in a payload, in what a hook prints and in its errors, and looks for them in what is
told and kept: `fire`, `show`, `history` and the bytes of the data folder. Then counts ordinary texts that are masked.
Every secret here is invented.
"""
import base64
import json
import os

from hw import Report, Trial

R = "Zq7Vb2Nw9Xk4Lm1Pd8Rs5Tg3"  # part of most of them
A16 = "Q7VB2NW9XK4LM1PD"


def b64(text):
    return base64.b64encode(text.encode()).decode()


def deep(value, levels):
    """JSON in a string of JSON, so many levels deep."""
    for level in range(levels):
        value = {"abc"[level]: json.dumps(value)}
    return json.dumps(value)


# What `spec/engine.md` §10 names: the text with the secret, and what must not be seen.
LISTED = {
    "aws-key-id": (f"AKIA{A16}", f"AKIA{A16}"),
    "aws-sts-id": (f"ASIA{A16}", f"ASIA{A16}"),
    "aws-secret-env": (f"AWS_SECRET_ACCESS_KEY=wJalr{R}/bPxRfiCY", f"wJalr{R}"),
    "aws-secret-ini": (f"aws_secret_access_key = wJalr{R}/bPxRfiCY", f"wJalr{R}"),
    "github-ghp": (f"ghp_{R}abcdefghij12", f"ghp_{R}"),
    "github-pat": (f"github_pat_11ABC_{R}", R),
    "gitlab": (f"glpat-{R[:20]}", R[:20]),
    "slack-bot": (f"xoxb-123456789012-{R}", R),
    "slack-app": (f"xapp-1-A012-{R}", R),
    "slack-hook": (f"https://hooks.slack.com/services/T000/B000/{R}", R),
    "discord-hook": (f"https://discord.com/api/webhooks/123456789012345678/{R}-{R}", R),
    "stripe-live": (f"sk_live_{R}", R),
    "stripe-test": (f"sk_test_{R}", R),
    "stripe-restricted": (f"rk_live_{R}", R),
    "stripe-webhook": (f"whsec_{R}", R),
    "openai": (f"sk-{R}", R),
    "openai-proj": (f"sk-proj-{R}_{R}", R),
    "anthropic": (f"sk-ant-api03-{R}-{R}AA", R),
    "google-api": (f"AIza{R}{R[:11]}", R),
    "google-oauth": (f"ya29.{R}", R),
    "google-refresh": (f"1//0{R}", R),
    "huggingface": (f"hf_{R}abcdefghij", R),
    "npm": (f"npm_{R}abcdefghijkl", R),
    "npmrc": (f"//registry.example.net/:_authToken={R}", R),
    "pypi": (f"pypi-AgEIcHlwaS5vcmc{R}", R),
    "sendgrid": (f"SG.{R[:22]}.{R}{R[:19]}", R),
    "telegram": (f"110201543:AA{R}abcdefghi", R),
    "telegram-url": (f"https://api.telegram.org/bot110201543:AA{R}abcdefghi/getMe", R),
    "discord": (f"MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.{R}", R),
    "digitalocean": (f"dop_v1_{R.lower()}0123", R.lower()),
    "azure-conn": (
        f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={b64(R * 2)};EndpointSuffix=core.windows.net",
        b64(R * 2),
    ),
    "alibaba": (f"LTAI5t{R[:18]}", R[:18]),
    "tencent": (f"AKID{R}abcdefgh", R),
    "vault": (f"hvs.{R}{R}", R),
    "jwt": (f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{R}In0.{R}", R),
    "pem": (f"-----BEGIN RSA PRIVATE KEY-----\nMIIEow{R}\n{R}\n-----END RSA PRIVATE KEY-----", R),
    "pem-openssh": (f"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn{R}\n-----END OPENSSH PRIVATE KEY-----", R),
    "pgp-private": (f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVY{R}\n-----END PGP PRIVATE KEY BLOCK-----", R),
    "putty": (f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n{R}\n", R),
    "age": (f"AGE-SECRET-KEY-1{R.upper()}QQQ", R.upper()),
    "bearer": (f"Authorization: Bearer {R}", R),
    "basic": ("Authorization: Basic " + b64(f"user:{R}"), b64(f"user:{R}")),
    "token-scheme": (f"Authorization: token {R}", R),
    "header-apikey": (f"X-Api-Key: {R}", R),
    "header-cookie": (f"Cookie: session={R}; a=b", R),
    "header-option": (f"curl -H 'X-Api-Key: {R}' https://x.example", R),
    "curl-u": (f"curl -u admin:{R} https://x.example", R),
    "url-basic": (f"https://admin:{R}@x.example/path", R),
    "db-url": (f"postgres://app:{R}@db.example:5432/x", R),
    "redis-url": (f"redis://:{R}@h:6379/0", R),
    "query-password": (f"https://x.example/login?user=a&password={R}", R),
    "query-token": (f"https://x.example/?access_token={R}&b=1", R),
    "query-sig": (f"https://x.blob.core.windows.net/c?sv=2020&sig={R}%3D", R),
    "env-upper": (f"DATABASE_PASSWORD={R}", R),
    "env-export": (f"export API_TOKEN='{R}'", R),
    "env-lower": (f"database_password={R}", R),
    "env-short-name": (f"DB_PASS={R}", R),
    "env-pwd": (f"MYSQL_PWD={R}", R),
    "env-spaced": (f"API_KEY = {R}", R),
    "env-colon": (f"API_KEY: {R}", R),
    "env-mixed-case": (f"Db_PassWord={R}", R),
    "doubled-env": (f'AWS_SECRET_ACCESS_KEY="{R}"\\n', R),
    "short-secret": ("DB_PASSWORD=hunter2", "hunter2"),
    "heroku": ("HEROKU_API_KEY=01234567-89ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef"),
    "yaml-password": (f"db:\n  password: {R}\n", R),
    "toml-token": (f'token = "{R}"', R),
    "ini-secret": (f"[x]\nclient_secret={R}", R),
    "option": (f"deploy --token {R}", R),
    "cli-flag": (f"mysql -p{R} --password={R}", R),
    "chinese": (f"密码：{R}", R),
    "chinese-token": (f"令牌是ghp_{R}abc，请保密", f"ghp_{R}"),
    "chinese-env": (f"设置API_TOKEN={R}，然后", R),
    "json-password": (json.dumps({"password": R}), R),
    "json-in-string": (deep({"api_key": R}, 2), R),
    "json-4-deep": (deep({"secret": R}, 3), R),
    "json-behind-text": ("result: " + json.dumps({"password": R}), R),
    "json-pretty-behind": ("ok\n" + json.dumps({"x": 1, "password": R}, indent=1), R),
    "json-single-quote": (f"{{'password': '{R}'}}", R),
    "js-object": (f'{{ password: "{R}" }}', R),
    "json-list": (json.dumps({"passwords": [R, "x" + R]}), R),
    "json-broken": ('{"password": "' + R + '", "a": ', R),
    "json-headers": (json.dumps({"headers": [{"name": "Authorization", "value": R}]}), R),
    "docker-auth": (json.dumps({"auths": {"x": {"auth": b64("u:" + R)}}}), b64("u:" + R)),
    "ansi-before": (f"\x1b[31mghp_{R}abc\x1b[0m", R),
}
# What it does not name.
OTHERS = {
    "env-key": (f"ENCRYPTION_KEY={R}", R),
    "netrc": (f"machine x login a password {R}", R),
    "sentence": (f"the password is {R}", R),
    "json-number": (json.dumps({"password": 918273645546372}), "918273645546372"),
    "json-pin": (json.dumps({"pin": R}), R),
    "json-auth": (json.dumps({"auth": R}), R),
    "json-pwd": (json.dumps({"pwd": R}), R),
    "json-passphrase": (json.dumps({"passphrase": R}), R),
    "json-key-zh": (json.dumps({"密码": R}, ensure_ascii=False), R),
    "json-dotted": (json.dumps({"api.key": R}), R),
    "json-accesskey": (json.dumps({"accesskey": R}), R),
    "json-sessionid": (json.dumps({"sessionid": R}), R),
    "xml": (f"<password>{R}</password>", R),
    "b64-token": (b64(f"ghp_{R}abcdefghij"), b64(f"ghp_{R}abcdefghij")),
    "hex": (f"sk-{R}".encode().hex(), f"sk-{R}".encode().hex()),
    "url-encoded": (f"key=sk%2D{R}", R),
    "ansi-inside": (f"ghp_\x1b[31m{R}\x1b[0mabc", R),
    "zero-width": (f"ghp_{R[:12]}\u200b{R[12:]}", R[12:]),
    "line-wrapped": (f"ghp_{R[:12]}\n{R[12:]}", R[12:]),
    "glued": (f"xghp_{R}abcdef", R),
    "kube": (
        f"client-key-data: {b64('-----BEGIN EC PRIVATE KEY-----' + R)}",
        b64("-----BEGIN EC PRIVATE KEY-----" + R),
    ),
    "ssh-pass": (f"sshpass -p {R} ssh x", R),
    "firebase": (f"AAAA{R[:7]}:APA91b{R}{R}", R),
    "twilio": (f"SK{R.lower()}01234567", R.lower()),
    "mailgun": (f"key-{R.lower()}01234567", R.lower()),
}
ORDINARY = [
    "Use a bearer token here", "Basic authentication is required", "the token count is 5",
    "sk-learn is a library, sk-image too", "task-based work", "risk-free", "disk-usage-report-2024", "ask-me-anything",
    "sk-SK locale", "sk-button-primary-large", "https://github.com/scikit-learn/sk-dist-plugin", "PASSWORD=",
    "API_KEY=$API_KEY", "API_TOKEN=${TOKEN}", "TOKEN_LIMIT=100000000", "MAX_TOKENS=4096",
    "SECRET_NAME=my-kubernetes-secret", "PASSWORD_FILE=/run/secrets/db", "COOKIE_DOMAIN=.example.com",
    "TOKEN_URL=https://x.example/oauth/token", "AKIAAAAAAAAAAAAAAAAA", "Basic usage of the library: import it",
    "basic 2-column layout", "Basic: see chapter 2", "bearer of bad news", "Bearer: the one who carries",
    "eyJ is how a JWT begins", "xox-games", "xoxo-love-letters-2024", "AKID is a prefix", "LTAIPEI101", "ghp_ is a prefix",
    "SECRETARIAT=building", "AUTHORIZATION_ENDPOINT=https://x.example/authorize", "CREDENTIALS_PATH=~/.aws/credentials",
    "export GITHUB_TOKEN=$(gh auth token)", "COOKIES=enabled_everywhere", "PRIVATE_KEY_PATH=/etc/ssl/private/x.pem",
    "basic auth1 module", "Basic python3.11 setup", "Basic C++11/C++14 features", "basic understanding=",
    "TOKENIZERS_PARALLELISM=false_value",
]
ORDINARY_KEYS = [
    {"token": "identifier"}, {"token_type": "identifier"}, {"cookie_policy": "strict"}, {"secret_name": "db"},
    {"token": {"text": "foo", "line": "the whole line of source"}}, {"credentials": "include"}, {"cookie": "accept all"},
    {"password": "Enter your password"}, {"authorization": "required"}, {"next_token": "page2"}, {"pageToken": "CAUQAA"},
    {"tokens": ["a", "b"]}, {"design_tokens": {"color": "red"}}, {"design-token": "color.red"}, {"tokenizer": "bpe"},
    {"secret": False}, {"token": 5}, {"max_token": "5"}, {"api_key_env": "MY_KEY"}, {"password_file": "/x"},
    {"csrf_token_header": "X-CSRF"}, {"token_endpoint": "https://x"}, {"stop_token": "<|end|>"}, {"eos_token": "</s>"},
    {"pad_token": "[PAD]"},
]
# Prints what is in the payload back, as JSON and on stderr.
ECHO = """import json, sys
text = json.load(sys.stdin)["user_input"]
sys.stderr.write(text)
print(json.dumps({"user_input": text + " .", "system_message": text}))
"""


def kept(trial):
    """The bytes of every file of the data folder."""
    for top, _, names in os.walk(trial.data):
        for name in names:
            try:
                with open(os.path.join(top, name), "rb") as file:
                    yield name, file.read()
            except OSError:
                pass


def fired(trial, text):
    """What `fire` prints for an event with this text."""
    return trial.fire("jcli", "pre_send_message", {"user_input": text}, "--json").stdout.decode()


def tells(document, secret):
    return secret in document or secret in json.dumps(json.loads(document), ensure_ascii=False)


def leaks(report, group, secrets):
    trial = Trial(f"redact-{group}")
    trial.write("echo.py", ECHO)
    trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": [{"command": "python3 echo.py"}]}))
    trial.trust_all()
    seen = {}
    for name, (text, secret) in secrets.items():
        told = fired(trial, text)
        ran = json.loads(told)["steps"][0]["outcome"]
        if ran != "changed":
            report.case(f"{group}: the hook ran", name, False, outcome=ran)
        shown = trial.run("show", json.loads(told)["trace"], "--json").stdout.decode()
        seen[name] = [where for where, text in (("fire", told), ("show", shown)) if tells(text, secret)]
    # A secret that was seen says nothing of another one that holds it.
    open_secrets = [secrets[name][1] for name, where in seen.items() if where]
    listed = trial.run("history", "--limit", "500", "--json").stdout.decode()
    files = [*kept(trial), ("history", listed.encode())]
    for name, (_, secret) in secrets.items():
        where = seen[name]
        if not any(secret in other or other in secret for other in open_secrets):
            where += [file for file, data in files if secret.encode() in data]
        report.case(f"{group} secrets seen", name, not where, where=where)


def ordinary(report):
    trial = Trial("redact-ordinary")
    trial.write(".jcli/hooks.yaml", "{}")
    for text in ORDINARY + [json.dumps(key) for key in ORDINARY_KEYS]:
        told = json.loads(fired(trial, text))["payload_before"]["user_input"]
        report.case("ordinary texts masked", text, told == text, told=told)
    # A word that is masked at its key is an ordinary word elsewhere.
    payload = {"user_input": json.dumps({"token": "identifier"}), "messages": [{"role": "user", "content": "an identifier"}]}
    _, trace = trial.trace("jcli", "pre_send_message", payload)
    told = trace["payload_before"]["messages"][0]["content"]
    report.case("words masked elsewhere", "identifier", told == "an identifier", told=told)


def main():
    report = Report("redact")
    leaks(report, "listed", LISTED)
    leaks(report, "other", OTHERS)
    ordinary(report)
    report.finish({"other secrets seen": 15, "ordinary texts masked": 15})


if __name__ == "__main__":
    main()
