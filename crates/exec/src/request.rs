//! One attempt of a hook that is a request: one `POST`, one response (`claude-code.md` §5).

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookwright_model::{Cancelled, Captured, End, HttpCall, HttpTarget, Run};
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::environment::Environment;
use crate::http_client::{HttpClient, error_chain, is_barred, read_body};

/// Sends the request and waits for the response. A response of any status is one; without one the run is refused.
pub(crate) async fn run(
    (environment, client): (Arc<Environment>, Arc<HttpClient>),
    call: HttpCall,
    limit: Duration,
    cancelled: Cancelled,
) -> Run {
    let start = Instant::now();
    let answer = send(&environment, &client, &call);
    let (end, code, stdout, stderr) = tokio::select! {
        biased;
        () = cancelled => (End::Cancelled, None, Vec::new(), String::new()),
        answered = tokio::time::timeout(limit, answer) => match answered {
            Ok(Ok((status, body))) => (End::Replied, Some(status.into()), body, String::new()),
            Ok(Err(why)) => (End::Refused, None, Vec::new(), why),
            Err(_) => (End::TimedOut, None, Vec::new(), String::new()),
        },
    };
    Run {
        end,
        code,
        signal: None,
        stdin: Captured::new(call.body),
        stdout: Captured::new(stdout),
        stderr: Captured::new(stderr),
        took: start.elapsed(),
        command: vec![call.target.url],
        cwd: None,
        env: Vec::new(),
        warnings: Vec::new(),
        counters: std::collections::BTreeMap::new(),
        no_handshake: None,
        pipe_held: false,
        env_file: Vec::new(),
    }
}

/// # Errors
/// The reason why nothing was sent, or why there was no response. It contains no value of a header.
async fn send(environment: &Environment, client: &HttpClient, call: &HttpCall) -> Result<(u16, Vec<u8>), String> {
    let target = &call.target;
    if let Some(why) = &target.refused {
        return Err(why.text.clone());
    }
    let url = Url::parse(&target.url).map_err(|error| error.to_string())?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(format!("{} is neither http nor https", url.scheme()));
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    if host.parse::<IpAddr>().is_ok_and(is_barred) {
        return Err(format!("{host} is no address that a hook may reach"));
    }
    let request = client
        .client()?
        .post(url)
        .headers(headers(environment, target)?)
        .body(call.body.clone());
    let response = request
        .send()
        .await
        .map_err(|error| error_chain(&error.without_url()))?;
    let status = response.status().as_u16();
    Ok((status, read_body(response).await?))
}

fn headers(environment: &Environment, target: &HttpTarget) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let value_of = |name: &str| {
        let is_allowed = target.variables.iter().any(|allowed| allowed == name);
        let value = environment.var(name).filter(|_| is_allowed);
        value
            .map(|value| value.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    for (name, template) in &target.headers {
        let invalid = || format!("the header {name:?} is not valid");
        let key = HeaderName::try_from(name).map_err(|_| invalid())?;
        let mut value = HeaderValue::try_from(filled(template, value_of)).map_err(|_| invalid())?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// A text with the values of variables in the place of `$NAME` and `${NAME}`. Names in lower case stay as they are.
fn filled(template: &str, value_of: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let inner = after.strip_prefix('{').unwrap_or(after);
        let is_part = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
        let end = inner.find(|sign| !is_part(sign)).unwrap_or(inner.len());
        let (name, behind) = inner.split_at(end);
        let is_braced = inner.len() < after.len();
        let behind = if is_braced {
            behind.strip_prefix('}')
        } else {
            Some(behind)
        };
        match behind.filter(|_| name.starts_with(|sign: char| !sign.is_ascii_digit())) {
            Some(behind) => {
                out.push_str(&value_of(name));
                rest = behind;
            }
            None => {
                out.push('$');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use wiremock::matchers::{body_string, header, method};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;

    fn environment() -> Environment {
        let vars = [("TOKEN", "t1"), ("OTHER", "o1"), ("BAD", "a\nb")];
        Environment::new(vars.map(|(name, value)| (name.into(), value.into())))
    }

    fn target(url: String) -> HttpTarget {
        HttpTarget {
            url,
            headers: Vec::new(),
            variables: vec!["TOKEN".to_owned(), "BAD".to_owned()],
            refused: None,
        }
    }

    async fn sent(target: HttpTarget, limit: Duration) -> Run {
        let call = HttpCall {
            target,
            body: b"{}".to_vec(),
        };
        let client = HttpClient::for_hooks(&environment());
        let never = futures::future::pending().boxed().shared();
        run((Arc::new(environment()), Arc::new(client)), call, limit, never).await
    }

    const LONG: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn the_event_is_the_body_and_the_status_is_the_code() {
        let server = MockServer::start().await;
        let wanted = Mock::given(method("POST"))
            .and(header("content-type", "application/json"))
            .and(header("authorization", "Bearer t1"))
            .and(header("x-other", "[]"))
            .and(body_string("{}"));
        wanted
            .respond_with(ResponseTemplate::new(403).set_body_string("no"))
            .mount(&server)
            .await;
        let target = HttpTarget {
            headers: vec![
                ("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned()),
                ("X-Other".to_owned(), "[$OTHER]".to_owned()),
            ],
            ..target(server.uri())
        };
        let run = sent(target, LONG).await;
        assert_eq!((run.end, run.code), (End::Replied, Some(403)), "{run:?}");
        assert_eq!(
            (run.stdout.bytes.as_slice(), run.stdin.bytes.as_slice()),
            (&b"no"[..], &b"{}"[..])
        );
    }

    #[tokio::test]
    async fn a_redirect_is_a_response_and_is_not_followed() {
        let server = MockServer::start().await;
        let redirect = ResponseTemplate::new(307).insert_header("location", "/other");
        Mock::given(method("POST"))
            .respond_with(redirect)
            .expect(1)
            .mount(&server)
            .await;
        let run = sent(target(server.uri()), LONG).await;
        assert_eq!((run.end, run.code), (End::Replied, Some(307)));
    }

    #[tokio::test]
    async fn without_a_response_the_run_is_refused_or_timed_out() {
        let server = MockServer::start().await;
        let slow = ResponseTemplate::new(200).set_delay(LONG);
        Mock::given(method("POST")).respond_with(slow).mount(&server).await;
        let run = sent(target(server.uri()), Duration::from_millis(50)).await;
        assert_eq!(run.end, End::TimedOut);
        for url in [
            "http://169.254.169.254/",
            "http://[fe80::1]/",
            "ftp://localhost/",
            "no url",
            "http://127.0.0.1:1/",
        ] {
            let run = sent(target(url.to_owned()), LONG).await;
            assert_eq!(run.end, End::Refused, "{url}");
            assert!(!run.stderr.bytes.is_empty(), "{url}");
        }
        let bad = HttpTarget {
            headers: vec![("X-Bad".to_owned(), "$BAD".to_owned())],
            ..target(server.uri())
        };
        let run = sent(bad, LONG).await;
        let stderr = String::from_utf8_lossy(&run.stderr.bytes).into_owned();
        assert!(
            run.end == End::Refused && stderr.contains("X-Bad") && !stderr.contains("a\n"),
            "{stderr}"
        );
    }

    #[test]
    fn only_names_in_upper_case_are_replaced() {
        let value = |name: &str| format!("<{name}>");
        for (template, wanted) in [
            ("$A-${B_1}", "<A>-<B_1>"),
            ("$a ${b} $1 $ $", "$a ${b} $1 $ $"),
            ("${A", "${A"),
            ("cost: 5$", "cost: 5$"),
        ] {
            assert_eq!(filled(template, value), wanted, "{template}");
        }
    }
}
