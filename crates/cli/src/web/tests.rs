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

    /// Uses the link, and returns the cookie that a browser would store.
    async fn cookie(&self) -> String {
        let welcome = self.get(&self.link).await;
        assert_eq!(welcome.status(), StatusCode::OK);
        let set = welcome.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
        assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
        set.split(';').next().unwrap().to_owned()
    }

    fn rpc(&self, cookie: &str, method: &str, params: &Value) -> reqwest::RequestBuilder {
        let body = json!({"method": method, "params": params});
        self.client
            .post(self.url("/rpc"))
            .header(header::COOKIE, cookie)
            .json(&body)
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
async fn the_link_lets_one_browser_in_once() {
    let page = TestPage::serve().await;
    assert_eq!(page.get(&page.url("/")).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(
        page.get(&page.url("/?code=guess")).await.status(),
        StatusCode::UNAUTHORIZED
    );
    for _ in 0..2 {
        let head = page.client.head(&page.link).send().await.unwrap();
        assert!(head.headers().get(header::SET_COOKIE).is_none());
    }
    let cookie = page.cookie().await;
    let home = page
        .client
        .get(page.url("/"))
        .header(header::COOKIE, &cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(home.status(), StatusCode::OK);
    assert!(
        home.headers()[header::CONTENT_TYPE]
            .to_str()
            .unwrap()
            .starts_with("text/html")
    );
    let again = page.get(&page.link).await;
    assert_eq!(again.status(), StatusCode::UNAUTHORIZED);
    assert!(again.headers().get(header::SET_COOKIE).is_none());
}

#[tokio::test]
async fn another_link_admits_one_more_browser_and_the_first_stays() {
    let page = TestPage::serve().await;
    let first = page.cookie().await;
    let (unused, second) = (
        page.router.new_page_link().unwrap(),
        page.router.new_page_link().unwrap(),
    );
    assert_eq!(page.get(&unused).await.status(), StatusCode::UNAUTHORIZED);
    let welcome = page.get(&second).await;
    let set = welcome.headers()[header::SET_COOKIE].to_str().unwrap();
    let cookie = set.split(';').next().unwrap();
    assert_ne!(cookie, first);
    for known in [cookie, first.as_str()] {
        let state = page.rpc(known, "state", &json!({})).send().await.unwrap();
        assert_eq!(state.status(), StatusCode::OK);
    }
    assert_eq!(page.get(&second).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_browser_too_many_ends_the_access_of_the_oldest() {
    let page = TestPage::serve().await;
    let first = page.cookie().await;
    for _ in 0..8 {
        let link = page.router.new_page_link().unwrap();
        assert_eq!(page.get(&link).await.status(), StatusCode::OK);
    }
    let state = page.rpc(&first, "state", &json!({})).send().await.unwrap();
    assert_eq!(state.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_page_itself_cannot_make_a_link() {
    let page = TestPage::serve().await;
    let cookie = page.cookie().await;
    let answer = page.rpc(&cookie, "web.link", &json!({})).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["fault"]["code"], "unknown_method");
}

#[tokio::test]
async fn the_page_gets_its_theme_and_language_before_it_draws() {
    let page = TestPage::serve().await;
    let cookie = page.cookie().await;
    for (key, value) in [("ui.theme", "light"), ("ui.language", "zh-CN")] {
        let set = page.rpc(&cookie, "settings.set", &json!({"key": key, "value": value}));
        assert_eq!(set.send().await.unwrap().status(), StatusCode::OK);
    }
    let home = page.client.get(page.url("/")).header(header::COOKIE, &cookie);
    let text = home.send().await.unwrap().text().await.unwrap();
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
    let cookie = page.cookie().await;
    let state: Value = page
        .rpc(&cookie, "state", &json!({}))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(state["result"]["engine"]["mode"], "serve");
    assert_eq!(state["result"]["window"], json!(false));
    for (method, code) in [("no.such", "unknown_method"), ("login.get", "window_only")] {
        let answer: Value = page
            .rpc(&cookie, method, &json!({}))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        assert_eq!(answer["fault"]["code"], code);
    }
    let garbage = page
        .client
        .post(page.url("/rpc"))
        .header(header::COOKIE, &cookie)
        .body("{")
        .send()
        .await
        .unwrap();
    assert_eq!(garbage.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn nothing_is_answered_without_the_cookie_of_this_launch() {
    let page = TestPage::serve().await;
    let cookie = page.cookie().await;
    let name = cookie.split('=').next().unwrap();
    for cookie in [
        "",
        "other=1",
        &format!("{name}="),
        &format!("{name}={}", "0".repeat(64)),
    ] {
        let answer = page.rpc(cookie, "state", &json!({})).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{cookie}");
    }
    for path in ["/pushes", "/assets/anything.js", "/mark.svg"] {
        assert_eq!(
            page.get(&page.url(path)).await.status(),
            StatusCode::UNAUTHORIZED,
            "{path}"
        );
    }
}

#[tokio::test]
async fn other_pages_and_other_host_names_are_rejected() {
    let page = TestPage::serve().await;
    let cookie = page.cookie().await;
    for (name, value) in [
        ("host", "evil.example:80"),
        ("host", "localhost:80"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        let answer = page
            .rpc(&cookie, "state", &json!({}))
            .header(name, value)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{name}: {value}");
    }
    let same_origin = page.rpc(&cookie, "state", &json!({})).header("origin", page.origin());
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
    let link = page.client.get(page.url("/")).header(header::COOKIE, &cookie);
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
    let cookie = page.cookie().await;
    let host = page.origin().trim_start_matches("http://").to_owned();
    let (origin, evil) = (page.origin().to_owned(), "http://evil.example".to_owned());
    for (name, first, second) in [
        ("host", &host, &"evil.example:80".to_owned()),
        ("host", &host, &host),
        ("origin", &origin, &evil),
        ("sec-fetch-site", &"same-origin".to_owned(), &"cross-site".to_owned()),
    ] {
        let mut request = page.rpc(&cookie, "state", &json!({})).build().unwrap();
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
async fn idle_connections_do_not_block_a_new_browser() {
    let page = TestPage::serve().await;
    let address = page.origin().trim_start_matches("http://").to_owned();
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(tokio::net::TcpStream::connect(&address).await.unwrap());
    }
    let cookie = page.cookie().await;
    let state = page.rpc(&cookie, "state", &json!({})).send().await.unwrap();
    assert_eq!(state.status(), StatusCode::OK);
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
    let cookie = page.cookie().await;
    let mut stream = page
        .client
        .get(page.url("/pushes"))
        .header(header::COOKIE, &cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(stream.headers()[header::CONTENT_TYPE], "text/event-stream");
    let project = page.home.path().join("project");
    std::fs::create_dir(&project).unwrap();
    page.rpc(&cookie, "projects.add", &json!({"path": project}))
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
