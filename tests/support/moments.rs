//! The moments at which tests interrupt a run.

use std::time::Duration;

/// A generator of random moments, the same in each run.
pub(crate) struct Moments(pub(crate) u64);

impl Moments {
    /// Returns the next moment, before `end`.
    pub(crate) fn next(&mut self, end: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        end.mul_f64((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}
