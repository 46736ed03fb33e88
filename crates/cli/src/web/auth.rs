//! Access control of the page: codes that work once, the two secrets they are exchanged for, and the origin of a request.
//!
//! A browser sends its cookie to every port of this address, so a server on another port learns it. The secret of a window
//! is therefore needed besides: only a script of this origin has it, and no browser sends it by itself.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, HeaderValue, Method, header};

/// The access control of one start of the page.
#[derive(Debug)]
pub struct SessionAuth {
    /// `127.0.0.1:8642`
    authority: String,
    origin: String,
    cookie: String,
    /// Only hashes are stored. Comparing them takes the same time for every guess.
    code_hash: Mutex<Option<blake3::Hash>>,
    /// The windows that have access. The one that has not been used for the longest time is first.
    windows: Mutex<VecDeque<Window>>,
}

/// A browser tab that has access, as hashes of its two secrets.
#[derive(Debug, Clone, Copy)]
struct Window {
    /// Shared by the windows of one browser.
    cookie: blake3::Hash,
    secret: blake3::Hash,
}

/// How many windows have access at once. One more ends the access of the one that has not been used for the longest time.
pub const MAX_WINDOWS: usize = 32;

/// The header with the secret of the window.
const WINDOW_HEADER: &str = "x-hookwright-window";

/// What a window gets for a code.
#[derive(Debug)]
pub struct Admission {
    /// The cookie to set; `None` for a browser that already has one.
    pub cookie: Option<HeaderValue>,
    /// The secret of the window.
    pub secret: String,
}

/// Why a request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessDenied {
    /// The `Host` header is not this address: another site has a name that resolves to this machine.
    Host,
    /// A page of another origin sent the request.
    Origin,
    /// The request has no cookie of this start.
    NoCookie,
    /// The request has a cookie of this start, but not the secret of one of its windows.
    NoWindow,
}

impl SessionAuth {
    /// The access control for this address. It admits no window until [`Self::new_code`] is called.
    pub fn new(authority: String) -> Self {
        // Cookies are not bound to a port, so the port is part of the name. It separates two pages on one machine.
        let port = authority.rsplit(':').next().unwrap_or_default();
        Self {
            origin: format!("http://{authority}"),
            cookie: format!("hookwright-{port}"),
            code_hash: Mutex::new(None),
            windows: Mutex::new(VecDeque::new()),
            authority,
        }
    }

    /// A new code that admits one window. A code from before that was not used is no longer valid.
    ///
    /// # Errors
    /// The system cannot provide random bytes.
    pub fn new_code(&self) -> Result<String, getrandom::Error> {
        let code = random_secret()?;
        *self.code_hash.lock().unwrap_or_else(PoisonError::into_inner) = Some(blake3::hash(code.as_bytes()));
        Ok(code)
    }

    /// Whether [`Self::exchange`] would accept the code now.
    pub fn accepts(&self, code: &str) -> bool {
        *self.code_hash.lock().unwrap_or_else(PoisonError::into_inner) == Some(blake3::hash(code.as_bytes()))
    }

    /// Exchanges the code for the secrets of one window. It works once; `None` is returned for a wrong or used code.
    /// A browser that has a cookie of this start keeps it, so that its other windows keep their access.
    ///
    /// # Errors
    /// The system cannot provide random bytes.
    pub fn exchange(&self, code: &str, headers: &HeaderMap) -> Result<Option<Admission>, getrandom::Error> {
        let (token, secret) = (random_secret()?, random_secret()?);
        let mut expected = self.code_hash.lock().unwrap_or_else(PoisonError::into_inner);
        if *expected != Some(blake3::hash(code.as_bytes())) {
            return Ok(None);
        }
        *expected = None;
        let given = self.cookie_hashes(headers);
        let mut windows = self.windows();
        let known = windows
            .iter()
            .map(|window| window.cookie)
            .find(|cookie| given.contains(cookie));
        windows.push_back(Window {
            cookie: known.unwrap_or_else(|| blake3::hash(token.as_bytes())),
            secret: blake3::hash(secret.as_bytes()),
        });
        if windows.len() > MAX_WINDOWS {
            windows.pop_front();
        }
        let cookie = if known.is_some() {
            None
        } else {
            HeaderValue::from_str(&format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", self.cookie)).ok()
        };
        Ok(Some(Admission { cookie, secret }))
    }

    /// Checks that the request was sent to this address, by Hookwright's own page or typed by the user. Any page may
    /// link to `/`.
    ///
    /// # Errors
    /// [`AccessDenied::Host`] or [`AccessDenied::Origin`].
    pub fn check_origin(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), AccessDenied> {
        // If a header is repeated, every value must be right, because servers and browsers differ in which one they
        // read. A repeated `Host` is always rejected.
        let mut hosts = header_values(headers, header::HOST.as_str());
        if hosts.next() != Some(Some(&self.authority)) || hosts.next().is_some() {
            return Err(AccessDenied::Host);
        }
        if !header_values(headers, header::ORIGIN.as_str()).all(|origin| origin == Some(&self.origin)) {
            return Err(AccessDenied::Origin);
        }
        let navigates = header_values(headers, "sec-fetch-mode").eq([Some("navigate")]);
        let opens = *method == Method::GET && path == "/" && navigates;
        let ours = header_values(headers, "sec-fetch-site").all(|site| matches!(site, Some("same-origin" | "none")));
        if ours || opens {
            Ok(())
        } else {
            Err(AccessDenied::Origin)
        }
    }

    /// Checks that the request has a cookie of this start. That is enough for the files of the interface.
    ///
    /// # Errors
    /// [`AccessDenied::NoCookie`].
    pub fn check_cookie(&self, headers: &HeaderMap) -> Result<(), AccessDenied> {
        let given = self.cookie_hashes(headers);
        let known = self.windows().iter().any(|window| given.contains(&window.cookie));
        if known { Ok(()) } else { Err(AccessDenied::NoCookie) }
    }

    /// Checks that the request has both secrets of one window. Everything else that the engine answers needs them.
    ///
    /// # Errors
    /// [`AccessDenied::NoWindow`].
    pub fn check_window(&self, headers: &HeaderMap) -> Result<(), AccessDenied> {
        let cookies = self.cookie_hashes(headers);
        let mut secrets = header_values(headers, WINDOW_HEADER);
        let (Some(Some(secret)), None) = (secrets.next(), secrets.next()) else {
            return Err(AccessDenied::NoWindow);
        };
        let secret = blake3::hash(secret.as_bytes());
        let mut windows = self.windows();
        let is_given = |window: &Window| window.secret == secret && cookies.contains(&window.cookie);
        let used = windows.iter().position(is_given).and_then(|at| windows.remove(at));
        windows.extend(used);
        used.map(|_| ()).ok_or(AccessDenied::NoWindow)
    }

    fn windows(&self) -> MutexGuard<'_, VecDeque<Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The hash of every cookie with this page's name.
    fn cookie_hashes(&self, headers: &HeaderMap) -> Vec<blake3::Hash> {
        header_values(headers, header::COOKIE.as_str())
            .flatten()
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie)
            .map(|(_, value)| blake3::hash(value.as_bytes()))
            .collect()
    }
}

/// Every value of a header; `None` for a value that is not text.
fn header_values<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = Option<&'a str>> {
    headers.get_all(name).iter().map(|value| value.to_str().ok())
}

/// 256 random bits, in hexadecimal.
fn random_secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing into a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    }))
}
