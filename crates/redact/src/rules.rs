//! The table of secret patterns, one row for each kind of secret (`engine.md` §10).

use ValueCheck::{Basic, Bearer, Digit, DigitAndCapital, Login, Written};

/// One row of the table: how a kind of secret is recognized.
#[derive(Debug)]
pub struct SecretPattern {
    /// Also the title of its page in `cases/`.
    #[cfg_attr(not(test), expect(dead_code, reason = "names the row, and its page"))]
    pub name: &'static str,
    /// The secret begins with one of these, in any letter case.
    pub hints: &'static [&'static str],
    /// What must be before the secret.
    pub preceded_by: PrecededBy,
    /// Matches from the hint on. If the pattern has a group, only the first group is the secret.
    pub pattern: &'static str,
    /// An additional test that the pattern cannot express.
    pub check: ValueCheck,
    /// The secret is one run of letters, digits, `_` and `-`. If the pattern fails in such a run, it also fails at
    /// every later position of the run.
    pub one_run: bool,
}

/// What must be before a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrecededBy {
    /// No letter or digit, except those of an escape or of a terminal colour code.
    Word,
    /// The start of the text, white space, a quote, `[` or a comma.
    Blank,
    /// Six digits: the end of a bot's number.
    Number,
    /// Anything.
    Any,
}

/// A condition on a secret in addition to its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueCheck {
    /// No condition.
    Always,
    /// It contains a digit.
    Digit,
    /// It contains a digit and a capital letter.
    DigitAndCapital,
    /// It is not a word of prose about bearer tokens.
    Bearer,
    /// It is base64 of `user:password`, or is too long and mixed for a word of prose.
    Basic,
    /// It is written out: not a variable.
    Written,
    /// It is not a variable and not a number: `-u 1000:1000` is a user and a group.
    Login,
}

const fn secret_pattern(name: &'static str, hints: &'static [&'static str], pattern: &'static str) -> SecretPattern {
    SecretPattern {
        name,
        hints,
        preceded_by: PrecededBy::Word,
        pattern,
        check: ValueCheck::Always,
        one_run: false,
    }
}

impl SecretPattern {
    const fn preceded_by(mut self, rule: PrecededBy) -> Self {
        self.preceded_by = rule;
        self
    }

    const fn one_run(mut self) -> Self {
        self.one_run = true;
        self
    }

    const fn check(mut self, check: ValueCheck) -> Self {
        self.check = check;
        self
    }
}

/// All rows. Private keys between dashes and Discord bot tokens are not in the table: `patterns.rs` finds them with its
/// own code. A Discord bot token has no fixed beginning.
pub const SECRET_PATTERNS: &[SecretPattern] = &[
    secret_pattern(
        "bearer",
        &["bearer"],
        r"(?i)bearer[ \t]+([a-z0-9._~+/=:|-]{3,}[a-z0-9_~+/=-])",
    )
    .check(Bearer),
    secret_pattern(
        "basic",
        &["basic"],
        r"(?i)basic[ \t]+([a-z0-9._~+/=:|-]{3,}[a-z0-9_~+/=-])",
    )
    .check(Basic),
    secret_pattern("jwt", &["eyJ"], r"eyJ[\w-]{7,}\.[\w-]{4,}(?:\.[\w-]*){1,3}").one_run(),
    secret_pattern("sk", &["sk-"], r"sk-[\w-]{13,}").check(Digit).one_run(),
    secret_pattern(
        "stripe",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{8,}",
    )
    .check(Digit),
    secret_pattern("stripe webhook", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{16,}"),
    secret_pattern("github", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_\w{8,}"),
    secret_pattern("github fine-grained", &["github_pat_"], r"github_pat_\w{8,}"),
    secret_pattern("gitlab", &["glpat-"], r"glpat-[\w-]{12,}"),
    secret_pattern("aws", &["AKIA", "ASIA"], r"A[KS]IA[A-Z0-9]{16,}"),
    secret_pattern("alibaba", &["LTAI"], r"LTAI[A-Za-z0-9]{8,}"),
    secret_pattern("tencent", &["AKID"], r"AKID[A-Za-z0-9]{8,}"),
    secret_pattern(
        "slack",
        &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"],
        r"xox[abcdeprs]-[\w-]{11,}",
    )
    .check(Digit)
    .one_run(),
    secret_pattern("slack app", &["xapp-"], r"xapp-[\w-]{11,}")
        .check(Digit)
        .one_run(),
    secret_pattern(
        "slack hook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{8,})",
    ),
    secret_pattern(
        "discord hook",
        &["discord.com", "discordapp.com"],
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d+/[\w-]{16,})",
    ),
    secret_pattern("telegram", &[":AA"], r":(AA[\w-]{30,})").preceded_by(PrecededBy::Number),
    secret_pattern("google key", &["AIza"], r"AIza[\w-]{30,}"),
    secret_pattern("google token", &["ya29."], r"ya29\.[\w.-]{16,}"),
    secret_pattern("google refresh", &["1//0"], r"1//0[\w-]{16,}"),
    secret_pattern("hugging face", &["hf_"], r"hf_[A-Za-z0-9]{20,}"),
    secret_pattern("npm", &["npm_"], r"npm_[A-Za-z0-9]{20,}"),
    secret_pattern("pypi", &["pypi-"], r"pypi-[\w-]{16,}")
        .check(DigitAndCapital)
        .one_run(),
    secret_pattern("sendgrid", &["SG."], r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    secret_pattern("vault", &["hvs.", "hvb."], r"hv[sb]\.[\w-]{16,}"),
    secret_pattern(
        "digitalocean",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[a-z0-9]{16,}",
    ),
    secret_pattern("azure", &["AccountKey="], r"(?i)AccountKey=([a-z0-9+/=]{16,})"),
    secret_pattern("age", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[A-Z0-9]{16,}"),
    secret_pattern(
        "putty",
        &["Private-Lines:"],
        r#"Private-Lines:[ \t]*\d+(?:\s|\\[rn])+((?:[A-Za-z0-9+/=]+(?:[\r\n]+|(?:\\[rn])+|["']|$))+)"#,
    ),
    secret_pattern(
        "private key in base64",
        &["LS0tLS1CRUdJTi"],
        r"LS0tLS1CRUdJTi(?:BQUklWQVRF|BFQyBQUklWQVRF|BSU0EgUFJJVkFURS|BEU0EgUFJJVkFURS|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFURS)[A-Za-z0-9+/=]*",
    ),
    secret_pattern("mailgun", &["key-"], r"key-[0-9a-z]{32,}").check(Digit),
    secret_pattern("firebase", &["APA91b"], r"APA91b[\w-]{40,}"),
    secret_pattern(
        "password in a URL",
        &["://", r":\/\/"],
        r#":(?:\\?/){2}[^\s/?#:@"'<>\\]*:([^\s/?#"'<>\\]+)@"#,
    )
    .preceded_by(PrecededBy::Any)
    .check(Written),
    secret_pattern(
        "user and password",
        &["-u"],
        r#"-u[ =](?:\\*["'])?[^\s:"'\\/-][^\s:"'\\/]*:([^\s"'\\/:;]+)"#,
    )
    .preceded_by(PrecededBy::Blank)
    .check(Login),
    secret_pattern(
        "user and password in words",
        &["--user", "--proxy-user"],
        r#"--(?:proxy-)?user[ =](?:\\*["'])?[^\s:"'\\/-][^\s:"'\\/]*:([^\s"'\\/:;]+)"#,
    )
    .preceded_by(PrecededBy::Blank)
    .check(Login),
    secret_pattern("sshpass", &["sshpass"], r#"sshpass\s+-p\s*(?:\\*["'])?([^\s"'\\]+)"#).check(Written),
    secret_pattern("netrc", &["login"], r#"login[ \t]+\S+[ \t]+password[ \t]+([^\s"']+)"#).check(Digit),
];
