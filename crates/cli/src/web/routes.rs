//! The routes of the page: the exchange of a link, the files of the interface, single calls, and a stream of pushes.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use futures::{Stream, StreamExt as _, stream};
use hookwright_app::Fault;
use hookwright_app::fault::BAD_PARAMS;
use hookwright_app::payload::read_params;
use hookwright_model::render;
use hookwright_serve::{MAX_LINE_BYTES, PushBatcher, Router};
use hookwright_workspace::settings::{Theme, UiSettings};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::auth::{AccessDenied, Admission, SessionAuth};
use super::connections::ConnectionHandle;
use super::embedded;

/// Batches of pushes are at least this far apart.
const BATCH_INTERVAL: Duration = Duration::from_millis(50);
/// How often a comment is sent in the stream, so that a broken connection is detected.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// Scripts are loaded only from this program. The editor may set styles at run time. Other origins cannot be reached.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[derive(Clone)]
struct WebState {
    router: Router,
    auth: Arc<SessionAuth>,
}

/// All routes of the page.
pub fn routes(router: Router, auth: Arc<SessionAuth>) -> axum::Router {
    let state = WebState { router, auth };
    axum::Router::new()
        .route("/rpc", post(rpc).layer(DefaultBodyLimit::max(MAX_LINE_BYTES)))
        .route("/pushes", get(pushes))
        .route_layer(middleware::from_fn_with_state(state.clone(), check_window))
        .route("/", get(open))
        .route(EXCHANGE_PATH, post(exchange))
        .route(EXCHANGE_SCRIPT_PATH, get(exchange_script))
        .fallback(get(asset))
        .layer(middleware::from_fn_with_state(state.clone(), check_access))
        .with_state(state)
}

/// Where the script of the link's page sends the code.
const EXCHANGE_PATH: &str = "/enter";
/// The script of the link's page.
const EXCHANGE_SCRIPT_PATH: &str = "/enter.js";

/// Runs before calls and pushes: the cookie alone is not enough for them, because other ports of this address learn it.
async fn check_window(State(state): State<WebState>, request: Request, next: Next) -> Response {
    if let Err(refused) = state.auth.check_window(request.headers()) {
        return reject(refused);
    }
    if let Some(visitor) = request.extensions().get::<ConnectionHandle>() {
        visitor.lift_limits();
    }
    next.run(request).await
}

/// Runs before every route: checks access, and sets the same headers on every response.
async fn check_access(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // Parsed by the same parser as in the route. So a code that the route does not accept is not accepted here either.
    let opens = path == "/" && Query::<OpenQuery>::try_from_uri(request.uri()).is_ok_and(|query| query.code.is_some());
    let public = opens || path == EXCHANGE_PATH || path == EXCHANGE_SCRIPT_PATH;
    let allowed = state.auth.check_origin(request.method(), path, request.headers());
    let allowed = allowed.and_then(|()| match state.auth.check_cookie(request.headers()) {
        Err(refused) if !public => Err(refused),
        Ok(()) | Err(_) => Ok(()),
    });
    let mut response = match allowed {
        Ok(()) => next.run(request).await,
        Err(refused) => reject(refused),
    };
    let headers = response.headers_mut();
    let always = [
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in always {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

fn reject(refused: AccessDenied) -> Response {
    match refused {
        AccessDenied::Host => (StatusCode::FORBIDDEN, "Use the address of the printed link.\n").into_response(),
        AccessDenied::Origin => (StatusCode::FORBIDDEN, "This request came from another page.\n").into_response(),
        AccessDenied::NoCookie => (
            StatusCode::UNAUTHORIZED,
            Html(html_page(ANY_COLOR_SCHEME, "", NO_COOKIE_PAGE)),
        )
            .into_response(),
        AccessDenied::NoWindow => (
            StatusCode::UNAUTHORIZED,
            "This window needs its own link: hookwright open --web\n",
        )
            .into_response(),
    }
}

#[derive(Deserialize)]
struct OpenQuery {
    code: Option<String>,
}

async fn open(State(state): State<WebState>, Query(query): Query<OpenQuery>) -> Response {
    let Some(code) = query.code else {
        let Some(file) = embedded::file("index.html") else {
            return not_built_page();
        };
        return file_response(with_theme(file, &read_ui_settings(&state.router).await), None);
    };
    // Showing this page does not use the code up, so a program that only previews a link, such as a chat, cannot.
    if !state.auth.accepts(&code) {
        return link_used();
    }
    let scheme = match read_ui_settings(&state.router).await.theme {
        Theme::System => ANY_COLOR_SCHEME,
        Theme::Dark => "dark",
        Theme::Light => "light",
    };
    Html(html_page(scheme, EXCHANGE_SCRIPT_TAG, LINK_PAGE)).into_response()
}

fn link_used() -> Response {
    let page = Html(html_page(ANY_COLOR_SCHEME, "", LINK_USED_PAGE));
    (StatusCode::UNAUTHORIZED, page).into_response()
}

#[derive(Deserialize)]
struct ExchangeRequest {
    code: String,
}

/// The only answer that contains the secret of a window. It is given once, for a code.
async fn exchange(
    State(state): State<WebState>,
    headers: HeaderMap,
    request: Result<Json<ExchangeRequest>, JsonRejection>,
) -> Response {
    let Json(request) = match request {
        Ok(request) => request,
        Err(rejection) => return rejection.into_response(),
    };
    match state.auth.exchange(&request.code, &headers) {
        Ok(Some(Admission { cookie, secret })) => {
            let mut response = Json(json!({"window": secret})).into_response();
            if let Some(cookie) = cookie {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Ok(None) => link_used(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

async fn exchange_script() -> Response {
    (
        [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")],
        include_str!("enter.js"),
    )
        .into_response()
}

/// The chosen theme and language, which the page needs before it draws anything. If the settings cannot be read, the
/// system's theme and language apply.
async fn read_ui_settings(router: &Router) -> UiSettings {
    let settings = router.call("settings.get", json!({})).await;
    let chosen = settings
        .ok()
        .and_then(|mut doc| serde_json::from_value(doc["values"]["ui"].take()).ok());
    chosen.unwrap_or_default()
}

/// The page with theme and language in its first tag, where `appearance.js` reads them.
fn with_theme(file: embedded::File, ui: &UiSettings) -> embedded::File {
    const TAG: &str = "<html lang=\"en\"";
    let (theme, language) = (ui.theme.as_str(), ui.language.as_str());
    let tag = format!("{TAG} data-theme-choice=\"{theme}\" data-language-choice=\"{language}\"");
    let text = String::from_utf8_lossy(&file.bytes).replacen(TAG, &tag, 1);
    embedded::File {
        bytes: Cow::Owned(text.into_bytes()),
        media: file.media,
    }
}

async fn asset(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    // The build puts a hash of the content into the name of every file in `assets`.
    let forever = path
        .starts_with("assets/")
        .then_some("private, max-age=31536000, immutable");
    // Some browsers request this name before they have read which icon the page uses.
    let path = if path == "favicon.ico" { "mark.svg" } else { path };
    embedded::file(path).map_or_else(
        || StatusCode::NOT_FOUND.into_response(),
        |file| file_response(file, forever),
    )
}

fn file_response(file: embedded::File, cache_control: Option<&'static str>) -> Response {
    let mut response = Body::from(file.bytes).into_response();
    let media = HeaderValue::from_str(&file.media).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(header::CONTENT_TYPE, media);
    if let Some(cache_control) = cache_control {
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
    }
    response
}

#[derive(Deserialize)]
struct RpcCall {
    method: String,
    /// Read apart from the rest, so that each number stays as it was written.
    params: Option<Box<RawValue>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum RpcAnswer {
    Result(Value),
    Fault(Fault),
}

impl IntoResponse for RpcAnswer {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

async fn rpc(State(state): State<WebState>, call: Result<Json<RpcCall>, JsonRejection>) -> Response {
    let Json(call) = match call {
        Ok(call) => call,
        Err(rejection) => {
            let fault = bad_params("rpc", &rejection.body_text());
            return (rejection.status(), RpcAnswer::Fault(fault)).into_response();
        }
    };
    let params = call.params.map_or(Ok(Value::Null), |params| read_params(params.get()));
    let answered = match params {
        Ok(params) => state.router.call(&call.method, params).await,
        Err(error) => Err(bad_params(&call.method, &error.to_string())),
    };
    answered
        .map_or_else(RpcAnswer::Fault, RpcAnswer::Result)
        .into_response()
}

fn bad_params(method: &str, why: &str) -> Fault {
    render!(BAD_PARAMS, "method" => method, "why" => why).into()
}

async fn pushes(State(state): State<WebState>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let batcher = PushBatcher::new(state.router.subscribe(), BATCH_INTERVAL);
    let batches = stream::unfold(batcher, |mut batcher| async {
        batcher.next().await.map(|batch| (batch, batcher))
    });
    let events = batches.flat_map(|batch| {
        // A push is plain data, so it can always be serialized.
        stream::iter(
            batch
                .into_iter()
                .filter_map(|push| Event::default().json_data(push).ok().map(Ok)),
        )
    });
    let router = state.router.clone();
    // The first event reports to the page that the stream is open, before there is a push.
    let hello = stream::once(async { Ok(Event::default().comment("listening")) });
    let until = Box::pin(async move { router.wait_until_closing().await });
    Sse::new(hello.chain(events).take_until(until)).keep_alive(KeepAlive::new().interval(KEEPALIVE_INTERVAL))
}

fn not_built_page() -> Response {
    Html(html_page(ANY_COLOR_SCHEME, "", NOT_BUILT_PAGE)).into_response()
}

const EXCHANGE_SCRIPT_TAG: &str = "<script src=\"/enter.js\" defer></script>";
/// Shown while the script exchanges the code. The second part is shown by the script if that fails.
const LINK_PAGE: &str = "<p><a href=\"/\">Hookwright</a></p>\
    <div id=\"failed\" hidden><h1>The page could not be opened</h1>\
    <p>Check that the engine is running, and that the browser allows this address to store data. Then reload.</p>\
    <p lang=\"zh-CN\">无法打开此页面。请确认引擎正在运行，并且浏览器允许此地址存储数据，然后重新加载。</p></div>";
/// Shown to a browser without a code and without the cookie.
const NO_COOKIE_PAGE: &str = "<h1>Open this page from its link</h1>\
    <p>Each time <code>hookwright serve --web</code> starts, it prints a new link for one window. While it is running, \
    <code>hookwright open --web</code> prints another one. Open the newest link here.</p>\
    <p lang=\"zh-CN\">请通过链接打开此页面。每次启动 <code>hookwright serve --web</code> 都会打印一个新链接，只对一个窗口有效。引擎运行时，执行 <code>hookwright open --web</code> 可再获得一个链接。请在此打开最新的链接。</p>";
/// Shown for a code that is wrong or already used.
const LINK_USED_PAGE: &str = "<h1>This link is no longer valid</h1>\
    <p>A link works once, in one window, while its engine is running. Run <code>hookwright open --web</code> to get a new \
    link. If no engine is running, start one with <code>hookwright serve --web</code>.</p>\
    <p lang=\"zh-CN\">此链接已失效。链接只能在一个窗口中使用一次，且仅在对应的引擎正在运行时有效。执行 <code>hookwright open --web</code> 可获得新链接。如果没有正在运行的引擎，请执行 <code>hookwright serve --web</code>。</p>";
const NOT_BUILT_PAGE: &str = "<h1>This program was built without its interface</h1>\
    <p>The engine is running, and the command line can be used. For the interface, run <code>./dev web</code> in the source folder, \
    or <code>npm ci &amp;&amp; npm run build</code> in <code>ui</code> and build the program again.</p>\
    <p lang=\"zh-CN\">本程序在构建时没有包含界面。引擎正在运行，命令行可以使用。如需界面，请在源代码文件夹中执行 <code>./dev web</code>，或在 <code>ui</code> 中执行 <code>npm ci &amp;&amp; npm run build</code>，然后重新构建程序。</p>";

/// Dark or light, as the system is set.
const ANY_COLOR_SCHEME: &str = "dark light";

/// A short HTML page with this colour scheme.
fn html_page(scheme: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"{scheme}\">{head}\
         <link rel=\"icon\" href=\"data:,\"><title>Hookwright</title><style>body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 34em; margin: 18vh auto; \
         padding: 0 1em }} h1 {{ font-size: 20px }}</style></head><body>{body}</body></html>\n"
    )
}
