#![no_main]

use libfuzzer_sys::fuzz_target;
use merge3_fuzz::oracle;

fuzz_target!(|bytes: &[u8]| {
    if let Err(failure) = oracle::tree::check(bytes) {
        panic!("{failure}");
    }
});
