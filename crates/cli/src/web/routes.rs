//! What the page can ask for: itself, one call at a time, and a stream of pushes.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use futures::{Stream, StreamExt as _, stream};
use hookwright_app::Fault;
use hookwright_app::fault::BAD_PARAMS;
use hookwright_app::settings::{Theme, UiSettings};
use hookwright_model::args;
use hookwright_serve::{Gather, MAX_LINE_BYTES, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::connections::Visitor;
use super::door::{Door, Refused};
use super::embedded;

/// Batches of pushes are at least this far apart.
const BATCH: Duration = Duration::from_millis(50);
/// A comment in the stream, so that a dead line is noticed.
const ALIVE: Duration = Duration::from_secs(15);

/// Scripts come from the program only; styles may be set by the editor at run time; nothing else is reached.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[derive(Clone)]
struct House {
    router: Router,
    door: Arc<Door>,
}

/// The whole page.
pub fn routes(router: Router, door: Arc<Door>) -> axum::Router {
    let house = House { router, door };
    axum::Router::new()
        .route("/", get(open))
        .route("/rpc", post(rpc).layer(DefaultBodyLimit::max(MAX_LINE_BYTES)))
        .route("/pushes", get(pushes))
        .fallback(get(asset))
        .layer(middleware::from_fn_with_state(house.clone(), guard))
        .with_state(house)
}

/// Stands before every route: checks who asks, and puts the same headers on every answer.
async fn guard(State(house): State<House>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    // Read by the same parser as the route reads it: what is no code for the route is none here.
    let opens = path == "/" && Query::<Opening>::try_from_uri(request.uri()).is_ok_and(|query| query.code.is_some());
    let allowed = house.door.origin(request.method(), path, request.headers());
    let allowed = allowed.and_then(|()| match house.door.cookie(request.headers()) {
        Ok(()) => {
            if let Some(visitor) = request.extensions().get::<Visitor>() {
                visitor.has_cookie();
            }
            Ok(())
        }
        Err(_) if opens => Ok(()),
        Err(refused) => Err(refused),
    });
    let mut response = match allowed {
        Ok(()) => next.run(request).await,
        Err(refused) => turn_away(refused),
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

fn turn_away(refused: Refused) -> Response {
    match refused {
        Refused::Host => (StatusCode::FORBIDDEN, "This address serves its own name only.\n").into_response(),
        Refused::Origin => (StatusCode::FORBIDDEN, "Another page asked for this.\n").into_response(),
        Refused::Stranger => (StatusCode::UNAUTHORIZED, Html(page(BOTH, "", STRANGER))).into_response(),
    }
}

#[derive(Deserialize)]
struct Opening {
    code: Option<String>,
}

async fn open(State(house): State<House>, method: Method, Query(opening): Query<Opening>) -> Response {
    let Some(code) = opening.code else {
        let Some(file) = embedded::file("index.html") else {
            return not_built();
        };
        return served(dressed(file, &look(&house.router).await), None);
    };
    if method != Method::GET {
        // Whoever only looks at a link, such as a chat's preview, must not use it up, and gets no hint whether it is good.
        return Html(page(BOTH, "", WELCOME)).into_response();
    }
    match house.door.exchange(&code) {
        Ok(Some(cookie)) => {
            let scheme = match look(&house.router).await.theme {
                Theme::System => BOTH,
                Theme::Dark => "dark",
                Theme::Light => "light",
            };
            ([(header::SET_COOKIE, cookie)], Html(page(scheme, REFRESH, WELCOME))).into_response()
        }
        Ok(None) => (StatusCode::UNAUTHORIZED, Html(page(BOTH, "", USED))).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

/// The chosen theme and language, which the page needs before it draws anything. What cannot be asked for is as the
/// system has it.
async fn look(router: &Router) -> UiSettings {
    let settings = router.call("settings.get", json!({})).await;
    let chosen = settings
        .ok()
        .and_then(|mut doc| serde_json::from_value(doc["values"]["ui"].take()).ok());
    chosen.unwrap_or_default()
}

/// The page with the look in its first tag, where `look.js` finds it.
fn dressed(file: embedded::File, look: &UiSettings) -> embedded::File {
    const TAG: &str = "<html lang=\"en\"";
    let (theme, language) = (look.theme.as_str(), look.language.as_str());
    let tag = format!("{TAG} data-theme-choice=\"{theme}\" data-language-choice=\"{language}\"");
    let text = String::from_utf8_lossy(&file.bytes).replacen(TAG, &tag, 1);
    embedded::File {
        bytes: Cow::Owned(text.into_bytes()),
        media: file.media,
    }
}

async fn asset(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    // The build puts a hash of the content into the name of everything in `assets`.
    let forever = path
        .starts_with("assets/")
        .then_some("private, max-age=31536000, immutable");
    // Some browsers ask for this name before they have read which icon the page wants.
    let path = if path == "favicon.ico" { "mark.svg" } else { path };
    embedded::file(path).map_or_else(|| StatusCode::NOT_FOUND.into_response(), |file| served(file, forever))
}

fn served(file: embedded::File, keep: Option<&'static str>) -> Response {
    let mut response = Body::from(file.bytes).into_response();
    let media = HeaderValue::from_str(&file.media).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(header::CONTENT_TYPE, media);
    if let Some(keep) = keep {
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    }
    response
}

#[derive(Deserialize)]
struct Call {
    method: String,
    #[serde(default)]
    params: Value,
}

async fn rpc(State(house): State<House>, call: Result<Json<Call>, JsonRejection>) -> Response {
    let Json(call) = match call {
        Ok(call) => call,
        Err(rejection) => {
            let fault: Fault = BAD_PARAMS
                .render(args! { "method" => "rpc", "why" => rejection.body_text() })
                .into();
            return (rejection.status(), Json(json!({"fault": fault}))).into_response();
        }
    };
    let answer = match house.router.call(&call.method, call.params).await {
        Ok(result) => json!({"result": result}),
        Err(fault) => json!({"fault": fault}),
    };
    Json(answer).into_response()
}

async fn pushes(State(house): State<House>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let gather = Gather::new(house.router.subscribe(), BATCH);
    let batches = stream::unfold(gather, |mut gather| async {
        gather.next().await.map(|batch| (batch, gather))
    });
    let events = batches.flat_map(|batch| {
        // A push is plain data; it can always be written.
        stream::iter(
            batch
                .into_iter()
                .filter_map(|push| Event::default().json_data(push).ok().map(Ok)),
        )
    });
    let router = house.router.clone();
    // The first event tells the page that the line is up, before there is anything to say.
    let hello = stream::once(async { Ok(Event::default().comment("listening")) });
    let until = Box::pin(async move { router.closing().await });
    Sse::new(hello.chain(events).take_until(until)).keep_alive(KeepAlive::new().interval(ALIVE))
}

fn not_built() -> Response {
    Html(page(BOTH, "", NOT_BUILT)).into_response()
}

/// The cookie is `Strict`: a redirect after a link on somebody else's page would not carry it, a new request does.
const REFRESH: &str = "<meta http-equiv=\"refresh\" content=\"0;url=/\">";
const WELCOME: &str = "<p><a href=\"/\">Hookwright</a></p>";
/// For a browser that came without a code and was never let in.
const STRANGER: &str = "<h1>This page opens with its link</h1>\
    <p>Each start of <code>hookwright serve --web</code> prints a link of its own, good for one browser. Open that link here.</p>\
    <p lang=\"zh-CN\">此页面要用它的链接打开。每次启动 <code>hookwright serve --web</code> 都会打印一个链接，只对一个浏览器有效。请在此打开该链接。</p>";
/// For a code that lets nobody in.
const USED: &str = "<h1>This link does not open the door any more</h1>\
    <p>A link works once, for one browser, while the engine that printed it runs. Stop <code>hookwright serve --web</code> \
    and start it again for a new one.</p>\
    <p lang=\"zh-CN\">链接只能使用一次，且仅在打印它的引擎运行期间有效。请停止 <code>hookwright serve --web</code> 并重新启动以获得新链接。</p>";
const NOT_BUILT: &str = "<h1>This program was built without its interface</h1>\
    <p>The engine runs and the command line reaches it. For the interface, run <code>./dev web</code> in the source folder, \
    or <code>npm ci &amp;&amp; npm run build</code> in <code>ui</code> and build the program again.</p>\
    <p lang=\"zh-CN\">本程序在构建时没有包含界面。引擎正在运行，命令行可以使用。如需界面，请在源码文件夹中运行 <code>./dev web</code>。</p>";

/// Dark or light, as the system has it.
const BOTH: &str = "dark light";

/// A page of a few words, in these colour schemes.
fn page(scheme: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"{scheme}\">{head}\
         <title>Hookwright</title><style>body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 34em; margin: 18vh auto; \
         padding: 0 1em }} h1 {{ font-size: 20px }}</style></head><body>{body}</body></html>\n"
    )
}
