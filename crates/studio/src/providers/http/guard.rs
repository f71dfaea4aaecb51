//! Decides which addresses given by a provider may be fetched: public ones over https, and hosts that the operator allows.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// IPv4 blocks that are not the public Internet (IANA special-purpose registry, RFC 6890 and its updates): base and prefix length.
const NOT_PUBLIC_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Blocks inside 2000::/3 that are not public, or carry an IPv4 address that would have to be checked again (Teredo, 6to4).
const NOT_PUBLIC_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Last labels of names that never belong to a public host.
const LOCAL_SUFFIXES: &[&str] = &["localhost", "local", "internal", "lan", "home.arpa"];

/// Returns whether an address belongs to the public Internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !NOT_PUBLIC_V4
            .iter()
            .any(|(base, len)| (v4.to_bits() ^ base.to_bits()).leading_zeros() >= *len),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_public(v4.into()),
            None => {
                let is_global = v6.segments()[0] & 0xe000 == 0x2000;
                is_global
                    && !NOT_PUBLIC_V6
                        .iter()
                        .any(|(base, len)| (v6.to_bits() ^ base.to_bits()).leading_zeros() >= *len)
            }
        },
    }
}

/// A host that the operator allows, whatever its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    /// In lower case, without brackets.
    host: String,
    /// `None`: any port.
    port: Option<u16>,
    /// `None`: http and https.
    scheme: Option<String>,
}

impl AllowedHost {
    /// Reads `host` or `host:port`; `None` if it is neither.
    pub fn read(text: &str) -> Option<AllowedHost> {
        // Parsed with a scheme whose default port is unusual here, so that a written port is always seen.
        let url = Url::parse(&format!("ftp://{text}/")).ok()?;
        let as_https = Url::parse(&format!("https://{text}/")).ok()?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        (is_bare && url.username().is_empty() && url.password().is_none()).then_some(())?;
        Some(AllowedHost {
            host: host_of(&as_https)?,
            port: url.port(),
            scheme: None,
        })
    }

    /// Allows exactly this scheme, host and port.
    pub fn origin_of(url: &Url) -> Option<AllowedHost> {
        Some(AllowedHost {
            host: host_of(url)?,
            port: url.port_or_known_default(),
            scheme: Some(url.scheme().to_owned()),
        })
    }

    fn allows(&self, url: &Url) -> bool {
        host_of(url).is_some_and(|host| host == self.host)
            && self
                .port
                .is_none_or(|port| url.port_or_known_default() == Some(port))
            && self
                .scheme
                .as_deref()
                .is_none_or(|scheme| scheme == url.scheme())
    }
}

/// Returns the host in lower case, without a trailing dot.
fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    (!host.is_empty()).then_some(host)
}

/// How to connect to a checked address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Resolved addresses are checked while connecting.
    Guarded,
    /// The operator trusts the host.
    Open,
}

/// Returns how an address may be fetched.
///
/// # Errors
/// Why it may not be fetched, worded to follow "gave an address".
pub fn check_url(url: &Url, allowed: &[AllowedHost]) -> Result<Way, &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("that is not https");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("with a user name in it");
    }
    if allowed.iter().any(|host| host.allows(url)) {
        return Ok(Way::Open);
    }
    if url.scheme() != "https" {
        return Err("that is not https");
    }
    let host = host_of(url).ok_or("without a host")?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return match is_public(address) {
            true => Ok(Way::Guarded),
            false => Err("that is not public"),
        };
    }
    let is_local = LOCAL_SUFFIXES.iter().any(|suffix| {
        host.strip_suffix(suffix)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    match is_local {
        true => Err("that is not public"),
        false => Ok(Way::Guarded),
    }
}

/// Resolves host names; tests use their own.
pub trait Lookup: fmt::Debug + Send + Sync {
    /// Returns the addresses of a host. May block.
    ///
    /// # Errors
    /// An error if the host is unknown or no name server can be reached.
    fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Uses the machine's configured resolver.
#[derive(Clone, Copy, Debug)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok((host, 0).to_socket_addrs()?.map(|a| a.ip()).collect())
    }
}

/// A host whose address is not public; found in the source chain of a connection's error.
#[derive(Debug)]
pub struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the host's address is not public")
    }
}

impl std::error::Error for NotPublic {}

/// Resolves names for one client. It returns the very addresses that are connected to, so that a second answer of a name server cannot differ from the checked
/// one.
#[derive(Clone, Debug)]
pub struct Resolver {
    /// The underlying resolver.
    pub lookup: Arc<dyn Lookup>,
    /// Whether every address must be public.
    pub is_guarded: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, host) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || {
                let addresses = resolver.lookup.lookup(&host)?;
                // One private address among public ones indicates an attack.
                match resolver.is_guarded && !addresses.iter().all(|a| is_public(*a)) {
                    true => Err(io::Error::other(NotPublic)),
                    false => Ok(addresses),
                }
            });
            let addresses = found.await??;
            let sockets = addresses.into_iter().map(|a| SocketAddr::new(a, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_told_from_all_others() {
        let public = [
            "1.1.1.1",
            "172.15.255.255",
            "172.32.0.0",
            "100.128.0.0",
            "2606:4700::1",
            "::ffff:8.8.8.8",
        ];
        for address in public {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        let others = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.8",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "239.1.1.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "fec0::1",
            "100::1",
            "fd00:ec2::254",
        ];
        for address in others {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn an_allowed_host_is_that_host_only() {
        let allowed = |text| vec![AllowedHost::read(text).unwrap()];
        let way =
            |url: &str, allowed: &[AllowedHost]| check_url(&Url::parse(url).unwrap(), allowed);
        assert_eq!(way("http://box:9/a", &allowed("box")), Ok(Way::Open));
        assert_eq!(way("http://box:9/a", &allowed("box:9")), Ok(Way::Open));
        assert!(way("http://box:8/a", &allowed("box:9")).is_err());
        assert!(way("http://box/a", &allowed("box:443")).is_err());
        assert_eq!(way("https://box/a", &allowed("box:443")), Ok(Way::Open));
        assert_eq!(way("http://[::1]:9/", &allowed("[::1]")), Ok(Way::Open));
        assert!(way("http://notbox/a", &allowed("box")).is_err());
        let base = Url::parse("https://api.example.com/v1").unwrap();
        let origin = vec![AllowedHost::origin_of(&base).unwrap()];
        assert_eq!(way("https://api.example.com/x", &origin), Ok(Way::Open));
        assert!(
            way("http://api.example.com/x", &origin).is_err(),
            "no downgrade"
        );
        for wrong in [
            "",
            "http://box",
            "box/path",
            "user@box",
            "bo x",
            "box:port",
            "box?",
        ] {
            assert_eq!(AllowedHost::read(wrong), None, "{wrong}");
        }
    }
}
