#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| stickslip_fuzz::find("fmu")(data));
