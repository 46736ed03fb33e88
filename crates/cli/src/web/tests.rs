//! Tests of the page, from a browser and from other clients.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use hookwright_app::App;
use hookwright_serve::HostMode;
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};
use reqwest::{Client, Response, StatusCode, header};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

/// What one window has after it used its link.
#[derive(Debug, Clone, PartialEq)]
struct Secrets {
    cookie: String,
    window: String,
}

struct TestPage {
    home: TempDir,
    router: Router,
    link: String,
    client: Client,
}

impl TestPage {
    async fn serve() -> Self {
        let home = tempfile::tempdir().unwrap();
        let vars = BTreeMap::from([("HOME".into(), home.path().as_os_str().to_owned())]);
        let env = HostEnv::new(vars, home.path().to_owned(), PathBuf::from("/bin/true")).unwrap();
        let app = Arc::new(App::open(env, ProcessRole::Engine, wall_clock()));
        let router = Router::new(app, HostMode::Serve, None);
        let link = serve(router.clone(), BoundListener::bind("127.0.0.1:0").await.unwrap())
            .unwrap()
            .link;
        // A client is not made without one, though no test asks for `https`. Another test may have set it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
        Self {
            home,
            router,
            link,
            client,
        }
    }

    fn origin(&self) -> &str {
        self.link.split("/?").next().unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    async fn get(&self, url: &str) -> Response {
        self.client.get(url).send().await.unwrap()
    }

    async fn get_with_cookie(&self, path: &str, cookie: &str) -> Response {
        let request = self.client.get(self.url(path)).header(header::COOKIE, cookie);
        request.send().await.unwrap()
    }

    /// Sends the code of a link as the script of its page does, from a browser with these cookies.
    async fn exchange(&self, link: &str, cookie: &str) -> Response {
        let code = link.split("?code=").nth(1).unwrap();
        let request = self.client.post(self.url("/enter")).header(header::COOKIE, cookie);
        request.json(&json!({"code": code})).send().await.unwrap()
    }

    /// Uses a link in a browser that has no cookie, and returns what the window then has.
    async fn enter_by(&self, link: &str) -> Secrets {
        let answer = self.exchange(link, "").await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store");
        let set = answer.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
        assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
        let cookie = set.split(';').next().unwrap().to_owned();
        let window = answer.json::<Value>().await.unwrap()["window"]
            .as_str()
            .unwrap()
            .to_owned();
        Secrets { cookie, window }
    }

    async fn enter(&self) -> Secrets {
        self.enter_by(&self.link).await
    }

    fn rpc(&self, secrets: &Secrets, method: &str, params: &Value) -> reqwest::RequestBuilder {
        let body = json!({"method": method, "params": params});
        self.client
            .post(self.url("/rpc"))
            .header(header::COOKIE, &secrets.cookie)
            .header("x-hookwright-window", &secrets.window)
            .json(&body)
    }

    /// The status of a call that every window may make.
    async fn status(&self, secrets: &Secrets) -> StatusCode {
        let request = self.rpc(secrets, "state", &json!({}));
        request.send().await.unwrap().status()
    }

    async fn answer(&self, secrets: &Secrets, method: &str, params: &Value) -> Value {
        let answer = self.rpc(secrets, method, params).send().await.unwrap();
        answer.json().await.unwrap()
    }
}

#[test]
fn only_loopback_addresses_in_numbers_are_taken() {
    for good in ["127.0.0.1:0", "127.0.0.1", "[::1]:8642", "[::1]", "::1"] {
        assert!(loopback(good).is_ok(), "{good}");
    }
    for bad in [
        "0.0.0.0:80",
        "[::]:80",
        "192.168.1.2:80",
        "localhost:80",
        "",
        "127.0.0.1:99999",
        "[::ffff:127.0.0.1]:0",
    ] {
        assert_eq!(loopback(bad).unwrap_err().code, "not_loopback", "{bad}");
    }
}

#[tokio::test]
async fn the_link_lets_one_window_in_once() {
    let page = TestPage::serve().await;
    assert_eq!(page.get(&page.url("/")).await.status(), StatusCode::UNAUTHORIZED);
    let guess = page.url("/?code=guess");
    assert_eq!(page.get(&guess).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(page.exchange(&guess, "").await.status(), StatusCode::UNAUTHORIZED);
    let secrets = page.enter().await;
    let home = page.get_with_cookie("/", &secrets.cookie).await;
    assert_eq!(home.status(), StatusCode::OK);
    let media = home.headers()[header::CONTENT_TYPE].to_str().unwrap();
    assert!(media.starts_with("text/html"));
    assert_eq!(page.status(&secrets).await, StatusCode::OK);
    assert_eq!(page.get(&page.link).await.status(), StatusCode::UNAUTHORIZED);
    let again = page.exchange(&page.link, "").await;
    assert_eq!(again.status(), StatusCode::UNAUTHORIZED);
    assert!(again.headers().get(header::SET_COOKIE).is_none());
}

#[tokio::test]
async fn showing_the_link_does_not_use_it_up_and_gives_no_secret() {
    let page = TestPage::serve().await;
    for method in [reqwest::Method::HEAD, reqwest::Method::GET] {
        let shown = page.client.request(method, &page.link).send().await.unwrap();
        assert_eq!(shown.status(), StatusCode::OK);
        assert!(shown.headers().get(header::SET_COOKIE).is_none());
        let text = shown.text().await.unwrap();
        assert!(text.is_empty() || text.contains("<script src=\"/enter.js\""), "{text}");
    }
    let script = page.get(&page.url("/enter.js")).await;
    let media = script.headers()[header::CONTENT_TYPE].to_str().unwrap();
    assert!(media.starts_with("text/javascript"), "{media}");
    page.enter().await;
}

#[tokio::test]
async fn the_cookie_alone_gets_the_files_of_the_interface_and_nothing_else() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    let zeros = "0".repeat(64);
    for window in ["", &zeros, &secrets.window[1..], &format!("{}0", secrets.window)] {
        let thief = Secrets {
            window: window.to_owned(),
            ..secrets.clone()
        };
        assert_eq!(page.status(&thief).await, StatusCode::UNAUTHORIZED, "{window}");
    }
    let body = json!({"method": "state", "params": {}});
    for (method, path) in [
        ("POST", "/rpc"),
        ("GET", "/pushes"),
        ("POST", "/%72pc"),
        ("GET", "/pushes/"),
        ("POST", "//rpc"),
    ] {
        let request = page.client.request(method.parse().unwrap(), page.url(path));
        let answer = request
            .header(header::COOKIE, &secrets.cookie)
            .json(&body)
            .send()
            .await
            .unwrap();
        assert!(answer.status().is_client_error(), "{path}: {}", answer.status());
        assert!(!answer.text().await.unwrap().contains("engine"), "{path}");
    }
    // The exchange asks for a code, and not for the cookie.
    for code in [json!({"code": ""}), json!({}), json!({"code": null})] {
        let request = page
            .client
            .post(page.url("/enter"))
            .header(header::COOKIE, &secrets.cookie);
        let answer = request.json(&code).send().await.unwrap();
        assert!(answer.status().is_client_error(), "{code}");
        assert!(answer.headers().get(header::SET_COOKIE).is_none());
    }
    for path in ["/", "/mark.svg", "/enter.js"] {
        let text = page.get_with_cookie(path, &secrets.cookie).await.text().await.unwrap();
        assert!(!text.contains(&secrets.window), "{path}");
    }
}

#[tokio::test]
async fn the_secret_of_a_window_counts_only_with_its_own_cookie_and_once() {
    let page = TestPage::serve().await;
    let first = page.enter().await;
    let second = page.enter_by(&page.router.new_page_link().unwrap()).await;
    let crossed = Secrets {
        cookie: first.cookie.clone(),
        window: second.window.clone(),
    };
    assert_eq!(page.status(&crossed).await, StatusCode::UNAUTHORIZED);
    let twice = page
        .rpc(&first, "state", &json!({}))
        .header("x-hookwright-window", &first.window);
    assert_eq!(twice.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn another_link_admits_one_more_browser_and_the_first_stays() {
    let page = TestPage::serve().await;
    let first = page.enter().await;
    let (unused, link) = (
        page.router.new_page_link().unwrap(),
        page.router.new_page_link().unwrap(),
    );
    assert_eq!(page.exchange(&unused, "").await.status(), StatusCode::UNAUTHORIZED);
    let second = page.enter_by(&link).await;
    assert_ne!(second.cookie, first.cookie);
    for known in [&second, &first] {
        assert_eq!(page.status(known).await, StatusCode::OK);
    }
    assert_eq!(page.exchange(&link, "").await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_second_window_of_a_browser_keeps_its_cookie_and_the_first_window() {
    let page = TestPage::serve().await;
    let first = page.enter().await;
    let link = page.router.new_page_link().unwrap();
    let answer = page.exchange(&link, &format!("other=1; {}", first.cookie)).await;
    assert!(answer.headers().get(header::SET_COOKIE).is_none());
    let window = answer.json::<Value>().await.unwrap()["window"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_ne!(window, first.window);
    let second = Secrets {
        window,
        ..first.clone()
    };
    for known in [&second, &first] {
        assert_eq!(page.status(known).await, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_window_too_many_ends_the_access_of_the_one_unused_for_longest() {
    let page = TestPage::serve().await;
    let first = page.enter().await;
    let second = page.enter_by(&page.router.new_page_link().unwrap()).await;
    assert_eq!(page.status(&first).await, StatusCode::OK);
    for _ in 1..auth::MAX_WINDOWS {
        page.enter_by(&page.router.new_page_link().unwrap()).await;
    }
    assert_eq!(page.status(&second).await, StatusCode::UNAUTHORIZED);
    assert_eq!(page.status(&first).await, StatusCode::OK);
}

#[tokio::test]
async fn the_page_itself_cannot_make_a_link() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    let answer = page.answer(&secrets, "web.link", &json!({})).await;
    assert_eq!(answer["fault"]["code"], "unknown_method");
}

#[tokio::test]
async fn the_page_gets_its_theme_and_language_before_it_draws() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    for (key, value) in [("ui.theme", "light"), ("ui.language", "zh-CN")] {
        let set = page.rpc(&secrets, "settings.set", &json!({"key": key, "value": value}));
        assert_eq!(set.send().await.unwrap().status(), StatusCode::OK);
    }
    let text = page.get_with_cookie("/", &secrets.cookie).await.text().await.unwrap();
    if text.contains("<div id=\"root\">") {
        assert!(
            text.contains("<html lang=\"en\" data-theme-choice=\"light\" data-language-choice=\"zh-CN\">"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn calls_go_to_the_list_of_commands() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    let state = page.answer(&secrets, "state", &json!({})).await;
    assert_eq!(state["result"]["engine"]["mode"], "serve");
    assert_eq!(state["result"]["window"], json!(false));
    for (method, code) in [("no.such", "unknown_method"), ("login.get", "window_only")] {
        let answer = page.answer(&secrets, method, &json!({})).await;
        assert_eq!(answer["fault"]["code"], code);
    }
    let mut garbage = page.rpc(&secrets, "state", &json!({})).build().unwrap();
    garbage.headers_mut().remove(header::CONTENT_TYPE);
    *garbage.body_mut() = Some("{".into());
    let answer = page.client.execute(garbage).await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn a_number_reaches_the_engine_and_the_page_as_it_was_written() {
    const NUMBERS: &str = "[-0,1e2,1E+2,12345678901234567890123,0.1000000000000000055,1.0]";
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    let project = json!(std::env::temp_dir());
    for payload in [
        format!("{{\"n\":{NUMBERS}}}"),
        json!(format!("{{\"n\":{NUMBERS}}}")).to_string(),
    ] {
        let params = format!(r#"{{"project":{project},"dialect":"jcli","event":"stop","payload":{payload}}}"#);
        let body = format!(r#"{{"method":"explain","params":{params}}}"#);
        let answer = page
            .rpc(&secrets, "explain", &json!({}))
            .body(body)
            .send()
            .await
            .unwrap();
        let text = answer.text().await.unwrap();
        assert!(text.contains(&format!("\"n\":{NUMBERS}")), "{text}");
    }
}

#[tokio::test]
async fn nothing_is_answered_without_the_cookie_of_this_launch() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    let name = secrets.cookie.split('=').next().unwrap();
    for cookie in [
        "",
        "other=1",
        &format!("{name}="),
        &format!("{name}={}", "0".repeat(64)),
    ] {
        let stranger = Secrets {
            cookie: cookie.to_owned(),
            ..secrets.clone()
        };
        assert_eq!(page.status(&stranger).await, StatusCode::UNAUTHORIZED, "{cookie}");
    }
    for path in ["/pushes", "/assets/anything.js", "/mark.svg"] {
        let request = page.client.get(page.url(path));
        let answer = request
            .header("x-hookwright-window", &secrets.window)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test]
async fn other_pages_and_other_host_names_are_rejected() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    for (name, value) in [
        ("host", "evil.example:80"),
        ("host", "localhost:80"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let answer = page
            .rpc(&secrets, "state", &json!({}))
            .header(name, value)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{name}: {value}");
    }
    let link = page.router.new_page_link().unwrap();
    let code = json!({"code": link.split("?code=").nth(1).unwrap()});
    for (name, value) in [("origin", "https://evil.example"), ("sec-fetch-site", "same-site")] {
        let foreign = page.client.post(page.url("/enter")).header(name, value).json(&code);
        assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{value}");
    }
    let same_origin = page.rpc(&secrets, "state", &json!({})).header("origin", page.origin());
    assert_eq!(
        same_origin
            .header("sec-fetch-site", "same-origin")
            .send()
            .await
            .unwrap()
            .status(),
        StatusCode::OK
    );
    // A link on another site may open this page.
    let link = page.client.get(page.url("/")).header(header::COOKIE, &secrets.cookie);
    let link = link
        .header("sec-fetch-site", "cross-site")
        .header("sec-fetch-mode", "navigate");
    assert_eq!(link.send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn a_query_that_only_contains_the_word_code_is_rejected() {
    let page = TestPage::serve().await;
    for query in ["barcode=1", "xcode=", "a=code=1", "code", "Code=1", "c%6fde"] {
        let answer = page.get(&page.url(&format!("/?{query}"))).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{query}");
        assert!(!answer.text().await.unwrap().contains("data-theme-choice"), "{query}");
    }
}

#[tokio::test]
async fn a_header_that_comes_twice_must_be_right_both_times() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    let host = page.origin().trim_start_matches("http://").to_owned();
    let (origin, evil) = (page.origin().to_owned(), "http://evil.example".to_owned());
    for (name, first, second) in [
        ("host", &host, &"evil.example:80".to_owned()),
        ("host", &host, &host),
        ("origin", &origin, &evil),
        ("sec-fetch-site", &"same-origin".to_owned(), &"cross-site".to_owned()),
    ] {
        let mut request = page.rpc(&secrets, "state", &json!({})).build().unwrap();
        let headers = request.headers_mut();
        headers.insert(header::HOST, host.parse().unwrap());
        let name = header::HeaderName::from_static(name);
        headers.insert(name.clone(), first.parse().unwrap());
        headers.append(name.clone(), second.parse().unwrap());
        let answer = page.client.execute(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{name}: {first}, {second}");
    }
}

#[tokio::test]
async fn idle_connections_do_not_block_a_new_window() {
    let page = TestPage::serve().await;
    let address = page.origin().trim_start_matches("http://").to_owned();
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(tokio::net::TcpStream::connect(&address).await.unwrap());
    }
    let secrets = page.enter().await;
    assert_eq!(page.status(&secrets).await, StatusCode::OK);
    // The server closed all but the newest connections.
    let mut closed = 0;
    for mut stream in idle {
        let mut byte = [0];
        let read = tokio::io::AsyncReadExt::read(&mut stream, &mut byte);
        let read = tokio::time::timeout(Duration::from_millis(20), read);
        closed += usize::from(matches!(read.await, Ok(Ok(0) | Err(_))));
    }
    assert!(closed >= 200 - 64, "{closed}");
}

#[tokio::test]
async fn every_answer_forbids_foreign_scripts() {
    let page = TestPage::serve().await;
    for url in [page.url("/"), page.url("/nothing"), page.link.clone()] {
        let answer = page.get(&url).await;
        let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert_eq!(answer.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store");
    }
}

#[tokio::test]
async fn pushes_arrive_as_a_stream_that_ends_with_the_engine() {
    let page = TestPage::serve().await;
    let secrets = page.enter().await;
    let mut stream = page
        .client
        .get(page.url("/pushes"))
        .header(header::COOKIE, &secrets.cookie)
        .header("x-hookwright-window", &secrets.window)
        .send()
        .await
        .unwrap();
    assert_eq!(stream.headers()[header::CONTENT_TYPE], "text/event-stream");
    let project = page.home.path().join("project");
    std::fs::create_dir(&project).unwrap();
    page.rpc(&secrets, "projects.add", &json!({"path": project}))
        .send()
        .await
        .unwrap();
    let mut received = String::new();
    while !received.contains("\n\n") || !received.contains("data:") {
        received.push_str(&String::from_utf8_lossy(&stream.chunk().await.unwrap().unwrap()));
    }
    let push = received.lines().find_map(|line| line.strip_prefix("data:")).unwrap();
    let push: Value = serde_json::from_str(push).unwrap();
    assert_eq!(push["kind"], "stale");
    page.router.end().await;
    while stream.chunk().await.unwrap().is_some() {}
}
