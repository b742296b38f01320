//! Requests over HTTP, each within limits of time and length.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ureq::config::RedirectAuthHeaders;
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::unreachable;
use crate::error::Error;
use crate::upgrade::host::host_in;

/// How long a request takes at most.
const PATIENCE: Duration = Duration::from_secs(300);
const CONNECTING: Duration = Duration::from_secs(30);

/// What a server answered.
pub(super) struct Answer {
    pub(super) status: u16,
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
            .timeout_connect(Some(CONNECTING))
            .timeout_global(Some(PATIENCE))
            .user_agent(concat!("merge3/", env!("CARGO_PKG_VERSION")))
            .build();
        config.into()
    })
}

/// Asks a server. What is accepted, and who asks, goes into the request's head.
///
/// # Errors
/// Where it does not answer.
pub(super) fn get(url: &str, accept: &str, authorization: Option<&str>) -> Result<Answer, Error> {
    let mut request = agent().get(url).header("Accept", accept);
    if let Some(authorization) = authorization {
        request = request.header("Authorization", authorization);
    }
    let response = request
        .call()
        .map_err(|error| unreachable(url, &error.to_string()))?;
    Ok(Answer {
        status: response.status().as_u16(),
        response,
        url: url.to_owned(),
    })
}

impl Answer {
    /// A field of the answer's head.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// What was asked for, no longer than that.
    ///
    /// # Errors
    /// Where it is longer, or is not there.
    pub(super) fn bytes(mut self, most: u64) -> Result<Vec<u8>, Error> {
        if self.status != 200 {
            return Err(unreachable(
                &self.url,
                &format!("it answers with status {}", self.status),
            ));
        }
        let body = self.response.body_mut().with_config().limit(most);
        body.read_to_vec().map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => {
                unreachable(&self.url, &format!("it has more than {} MiB", most >> 20))
            }
            error => unreachable(&self.url, &error.to_string()),
        })
    }
}

/// Whether a host is this machine, where no encryption is needed.
pub(super) fn is_loopback(authority: &str) -> bool {
    let host = host_in(authority);
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
