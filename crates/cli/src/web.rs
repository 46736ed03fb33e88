//! The interface in a browser, on a loopback address: the same router and pages as in the window.
//!
//! What it deliberately does not do: it serves no other machine, and on this machine only windows that were given a link.
//! A link works once. It is exchanged for two secrets that are valid as long as this process runs: a cookie, and one that
//! only the window's own scripts have. Whoever may use the control socket gets another link there.

mod auth;
mod connections;
mod embedded;
mod routes;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use hookwright_app::Fault;
use hookwright_model::render;
use hookwright_serve::Router;
use tokio::net::TcpListener;

use auth::SessionAuth;

hookwright_model::messages! {
    /// The address is reachable from other machines, or is a name.
    NOT_LOOPBACK = "not_loopback" { "{address} is not a loopback address: {why}", "{address} 不是回环地址：{why}" } hint { "write `127.0.0.1:PORT` or `[::1]:PORT`; to reach it from elsewhere, forward a port with ssh", "写成 `127.0.0.1:端口` 或 `[::1]:端口`；如需从别处访问，用 ssh 转发端口" };
    /// The address is in use, or this user may not use it.
    CANNOT_SERVE = "cannot_serve" { "cannot serve on {address}: {why}", "无法在 {address} 上提供服务：{why}" } hint { "use another port; `127.0.0.1:0` selects any free port", "换一个端口；`127.0.0.1:0` 会选择任意空闲端口" };
    /// The system cannot provide random bytes.
    NO_RANDOM = "no_random" { "the system cannot provide random bytes for the link: {why}", "系统无法提供生成链接所需的随机数：{why}" };
}

/// The page that is being served, until its engine ends.
#[derive(Debug)]
pub struct Served {
    /// The link that admits one window, once.
    pub link: String,
}

/// A listener on a loopback address. Nothing is served on it yet.
#[derive(Debug)]
pub struct BoundListener {
    listener: TcpListener,
    authority: String,
}

impl BoundListener {
    /// Binds a loopback address such as `127.0.0.1:0` or `[::1]:8642`.
    ///
    /// # Errors
    /// The address is not a loopback address in numbers, or it cannot be bound.
    pub async fn bind(address: &str) -> Result<Self, Fault> {
        let requested = loopback(address)?;
        let failed = |error: std::io::Error| -> Fault {
            render!(CANNOT_SERVE, "address" => requested.to_string(), "why" => error.to_string()).into()
        };
        let listener = TcpListener::bind(requested).await.map_err(failed)?;
        let authority = listener.local_addr().map_err(failed)?.to_string();
        Ok(Self { listener, authority })
    }
}

/// Serves the page of an engine on this listener.
///
/// # Errors
/// The system has no random bytes for the link.
pub fn serve(router: Router, bound: BoundListener) -> Result<Served, Fault> {
    let BoundListener { listener, authority } = bound;
    let auth = Arc::new(SessionAuth::new(authority.clone()));
    let page = routes::routes(router.clone(), auth.clone());
    let new_link = move || -> Result<String, Fault> {
        let code = auth
            .new_code()
            .map_err(|error| render!(NO_RANDOM, "why" => error.to_string()))?;
        Ok(format!("http://{authority}/?code={code}"))
    };
    let link = new_link()?;
    router.set_page(Box::new(new_link));
    router.spawn_tracked(connections::serve(listener, page, router.clone()));
    Ok(Served { link })
}

/// Parses an address that only this machine can reach. It must be written in numbers, because a name could resolve to
/// any address later.
fn loopback(text: &str) -> Result<SocketAddr, Fault> {
    let not_loopback = |why: &str| -> Fault { render!(NOT_LOOPBACK, "address" => text, "why" => why).into() };
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    let address = match (text.parse::<SocketAddr>(), bare.parse::<IpAddr>()) {
        (Ok(address), _) => address,
        (Err(_), Ok(ip)) => SocketAddr::new(ip, 0),
        (Err(_), Err(_)) => return Err(not_loopback("it is not a numeric address")),
    };
    let ip = address.ip();
    if ip == IpAddr::V4(Ipv4Addr::UNSPECIFIED) || ip == IpAddr::V6(Ipv6Addr::UNSPECIFIED) {
        return Err(not_loopback("it listens on every network of this machine"));
    }
    if !ip.is_loopback() {
        return Err(not_loopback("other machines could reach it"));
    }
    Ok(address)
}

#[cfg(test)]
mod tests;
