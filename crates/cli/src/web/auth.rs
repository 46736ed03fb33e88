//! Access control of the page: codes that work once, the cookies they are exchanged for, and the origin of a request.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

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
    /// The cookies of the browsers that have access, oldest first.
    token_hashes: Mutex<VecDeque<blake3::Hash>>,
}

/// How many browsers have access at once. One more ends the access of the oldest.
const MAX_BROWSERS: usize = 8;

/// Why a request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessDenied {
    /// The `Host` header is not this address: another site has a name that resolves to this machine.
    Host,
    /// A page of another origin sent the request.
    Origin,
    /// The request has no cookie of this start.
    NoCookie,
}

impl SessionAuth {
    /// The access control for this address. It admits no browser until [`Self::new_code`] is called.
    pub fn new(authority: String) -> Self {
        // Cookies are not bound to a port, so the port is part of the name. It separates two pages on one machine.
        let port = authority.rsplit(':').next().unwrap_or_default();
        Self {
            origin: format!("http://{authority}"),
            cookie: format!("hookwright-{port}"),
            code_hash: Mutex::new(None),
            token_hashes: Mutex::new(VecDeque::new()),
            authority,
        }
    }

    /// A new code that admits one browser. A code from before that was not used is no longer valid.
    ///
    /// # Errors
    /// The system cannot provide random bytes.
    pub fn new_code(&self) -> Result<String, getrandom::Error> {
        let code = random_secret()?;
        *self.code_hash.lock().unwrap_or_else(PoisonError::into_inner) = Some(blake3::hash(code.as_bytes()));
        Ok(code)
    }

    /// Exchanges the code for a cookie of this start. It works once; `None` is returned for a wrong or used code.
    ///
    /// # Errors
    /// The system cannot provide random bytes.
    pub fn exchange(&self, code: &str) -> Result<Option<HeaderValue>, getrandom::Error> {
        let token = random_secret()?;
        let mut expected = self.code_hash.lock().unwrap_or_else(PoisonError::into_inner);
        if *expected != Some(blake3::hash(code.as_bytes())) {
            return Ok(None);
        }
        *expected = None;
        let mut tokens = self.token_hashes.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.push_back(blake3::hash(token.as_bytes()));
        if tokens.len() > MAX_BROWSERS {
            tokens.pop_front();
        }
        let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", self.cookie);
        Ok(HeaderValue::from_str(&cookie).ok())
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

    /// Checks that the request has a cookie of this start.
    ///
    /// # Errors
    /// [`AccessDenied::NoCookie`].
    pub fn check_cookie(&self, headers: &HeaderMap) -> Result<(), AccessDenied> {
        let expected = self.token_hashes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let given = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut pairs = given
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        let known =
            pairs.any(|(name, value)| name == self.cookie && expected.contains(&blake3::hash(value.as_bytes())));
        if known { Ok(()) } else { Err(AccessDenied::NoCookie) }
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
