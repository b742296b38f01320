//! Sends HTTP requests with limits for time and size.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ureq::config::RedirectAuthHeaders;
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::unreachable;
use crate::error::Error;
use crate::upgrade::host::host_in;

/// The time limit of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(300);
/// The time limit of connecting to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The response of a server, whose body is not read yet.
pub(super) struct Answer {
    response: Response<Body>,
    url: String,
}

fn agent() -> &'static Agent {
    static AGENT: OnceLock<Agent> = OnceLock::new();
    AGENT.get_or_init(|| {
        let provider = rustls::crypto::ring::default_provider();
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(provider))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(5)
            .redirect_auth_headers(RedirectAuthHeaders::Never)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_global(Some(REQUEST_TIMEOUT))
            .user_agent(concat!("merge3/", env!("CARGO_PKG_VERSION")))
            .build();
        config.into()
    })
}

/// Sends a GET request with the headers `Accept` and `Authorization`.
///
/// # Errors
/// If there is no response.
pub(super) fn get(url: &str, accept: &str, authorization: Option<&str>) -> Result<Answer, Error> {
    let mut request = agent().get(url).header("Accept", accept);
    if let Some(authorization) = authorization {
        request = request.header("Authorization", authorization);
    }
    let response = request
        .call()
        .map_err(|error| unreachable(url, &error.to_string()))?;
    Ok(Answer {
        response,
        url: url.to_owned(),
    })
}

impl Answer {
    pub(super) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns the value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// Reads the body, of at most `max` bytes.
    ///
    /// # Errors
    /// If the status is not 200, or the body is larger or cannot be read.
    pub(super) fn body(mut self, max: u64) -> Result<Vec<u8>, Error> {
        let unreadable = |reason: &str| unreachable(&self.url, reason);
        if self.status() != 200 {
            let status = self.status();
            return Err(unreadable(&format!("it answers with status {status}")));
        }
        let body = self.response.body_mut().with_config().limit(max);
        body.read_to_vec().map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => {
                unreadable(&format!("it has more than {} MiB", max >> 20))
            }
            error => unreadable(&error.to_string()),
        })
    }
}

/// Whether an authority names this machine, to which no encryption is needed.
pub(super) fn is_loopback(authority: &str) -> bool {
    let host = host_in(authority);
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
