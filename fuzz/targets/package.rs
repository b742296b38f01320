#![no_main]

use libfuzzer_sys::fuzz_target;
use merge3_fuzz::oracle;

fuzz_target!(
    init: {
        // libFuzzer needs the coverage of a single thread
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    },
    |bytes: &[u8]| {
        if let Err(failure) = oracle::package::check(bytes) {
            panic!("{failure}");
        }
    }
);
