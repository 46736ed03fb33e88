//! What requests of prompts and of hooks have in common: the proxies, the limit of the response, the text of an error, and
//! the addresses that no hook may reach.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, NoProxy, Proxy, Response};

use crate::environment::Environment;

/// Most bytes of a response.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// An endpoint on this machine is never asked through a proxy.
const NO_PROXY_HOSTS: &str = "localhost,127.0.0.0/8,::1";

/// Addresses of services that give a machine in a cloud its credentials, beside the link-local ones.
const METADATA: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// The HTTP client with its proxies. It is built at the first request, because most events send none.
#[derive(Debug)]
pub(crate) struct HttpClient {
    proxies: Vec<(ProxyFor, String)>,
    no_proxy: String,
    resolver: Option<Arc<HookResolver>>,
    client: OnceLock<Result<Client, String>>,
}

#[derive(Debug, Clone, Copy)]
enum ProxyFor {
    Http,
    Https,
    All,
}

impl HttpClient {
    /// A client for the requests of hooks: names that lead to a link-local address are not resolved.
    pub(crate) fn for_hooks(environment: &Environment) -> Self {
        Self {
            resolver: Some(Arc::new(HookResolver)),
            ..Self::with_proxies(environment)
        }
    }

    /// Takes the proxies from the given environment, not from that of this process.
    pub(crate) fn with_proxies(environment: &Environment) -> Self {
        let var = |lower: &str, upper: &str| {
            let value = environment.var(lower).or_else(|| environment.var(upper))?.to_str()?;
            (!value.is_empty()).then(|| value.to_owned())
        };
        let wanted = [
            (ProxyFor::Http, var("http_proxy", "HTTP_PROXY")),
            (ProxyFor::Https, var("https_proxy", "HTTPS_PROXY")),
            (ProxyFor::All, var("all_proxy", "ALL_PROXY")),
        ];
        let proxies = wanted
            .into_iter()
            .filter_map(|(scheme, url)| Some((scheme, url?)))
            .collect();
        let no_proxy = [Some(NO_PROXY_HOSTS.to_owned()), var("no_proxy", "NO_PROXY")]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(",");
        Self {
            proxies,
            no_proxy,
            resolver: None,
            client: OnceLock::new(),
        }
    }

    /// # Errors
    /// The proxies of the environment are invalid.
    pub(crate) fn client(&self) -> Result<&Client, String> {
        self.client
            .get_or_init(|| self.build().map_err(|error| error_chain(&error)))
            .as_ref()
            .map_err(Clone::clone)
    }

    fn build(&self) -> reqwest::Result<Client> {
        // An error says that there is a provider already, set by an earlier client.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A key or a header belongs to one host, so redirects are not followed.
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .user_agent(concat!("hookwright/", env!("CARGO_PKG_VERSION")));
        if let Some(resolver) = &self.resolver {
            builder = builder.dns_resolver(resolver.clone());
        }
        for (scheme, url) in &self.proxies {
            let proxy = match scheme {
                ProxyFor::Http => Proxy::http(url),
                ProxyFor::Https => Proxy::https(url),
                ProxyFor::All => Proxy::all(url),
            };
            builder = builder.proxy(proxy?.no_proxy(NoProxy::from_string(&self.no_proxy)));
        }
        builder.build()
    }
}

/// The body of a response.
///
/// # Errors
/// It is too large, or the connection ended before.
pub(crate) async fn read_body(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(|error| error_chain(&error.without_url()))?
    {
        if body.len() + piece.len() > MAX_ANSWER_BYTES {
            return Err(format!("the response is larger than {} MiB", MAX_ANSWER_BYTES >> 20));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// The text of an error with its causes. The outermost text alone ("error sending request") does not help.
pub(crate) fn error_chain(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(error.source(), |inner| (*inner).source());
    chain.fold(error.to_string(), |text, inner| format!("{text}: {inner}"))
}

/// Resolves the names of hooks' URLs.
#[derive(Debug)]
struct HookResolver;

impl Resolve for HookResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|address| !is_barred(address.ip())).collect();
            if allowed.is_empty() {
                return Err(format!("{} has no address that a hook may reach", name.as_str()).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// Whether no hook may reach an address: it is link-local, or gives out credentials of the machine.
pub(crate) fn is_barred(address: IpAddr) -> bool {
    let address = address.to_canonical();
    METADATA.contains(&address)
        || match address {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_and_metadata_addresses_are_barred_and_private_ones_are_not() {
        for barred in [
            "169.254.169.254",
            "169.254.0.1",
            "fe80::1",
            "::ffff:169.254.169.254",
            "fd00:ec2::254",
            "100.100.100.200",
        ] {
            assert!(is_barred(barred.parse().unwrap()), "{barred}");
        }
        for allowed in [
            "127.0.0.1",
            "::1",
            "10.0.0.1",
            "192.168.1.1",
            "93.184.216.34",
            "fd00::1",
        ] {
            assert!(!is_barred(allowed.parse().unwrap()), "{allowed}");
        }
    }
}
