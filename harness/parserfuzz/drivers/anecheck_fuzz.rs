//! Lets `anecheck fuzz` drive a parser in Rust inside one process. No crate is needed.
//!
//! ```ignore
//! mod anecheck_fuzz;
//! fn main() {
//!     anecheck_fuzz::main(|data| my_parse(data).is_ok()); // false: refused
//! }
//! ```
//!
//! `anecheck fuzz --format hwx -- target/release/target` runs it. A panic is a finding. Coverage
//! steers the harness if the program is built with
//! `RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3
//! -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"`. Without the harness the program reads the
//! files named by its arguments.
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{addr_of_mut, null_mut};

const HEAD: usize = 4096;
const COUNTERS: usize = 65536;

extern "C" {
    fn mmap(at: *mut u8, size: usize, access: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
    fn fork() -> i32;
    fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(code: i32) -> !;
}

static mut MODULES: Vec<(*mut u8, usize)> = Vec::new();

/// Each module to which the compiler added counters calls this before `main`.
#[no_mangle]
pub extern "C" fn __sanitizer_cov_8bit_counters_init(begin: *mut u8, end: *mut u8) {
    let size = end as usize - begin as usize;
    unsafe {
        let modules = &mut *addr_of_mut!(MODULES);
        if size > 0 && !modules.iter().any(|module| module.0 == begin) {
            modules.push((begin, size));
        }
    }
}
#[no_mangle]
pub extern "C" fn __sanitizer_cov_pcs_init(_begin: *const usize, _end: *const usize) {}

struct Shared(*mut u8);

impl Shared {
    fn word(&self, at: usize) -> *mut u32 {
        unsafe { self.0.add(at) as *mut u32 }
    }
    fn file(&self) -> Vec<u8> {
        unsafe {
            let size = self.word(4).read_volatile() as usize;
            std::slice::from_raw_parts(self.0.add(HEAD + COUNTERS), size).to_vec()
        }
    }
    fn publish(&self) {
        let mut at = 0;
        unsafe {
            for &(begin, size) in (*addr_of_mut!(MODULES)).iter() {
                let count = size.min(COUNTERS - at);
                std::ptr::copy_nonoverlapping(begin, self.0.add(HEAD + at), count);
                at += count;
            }
            self.word(8).write_volatile(at as u32);
        }
    }
}

fn clear_coverage() {
    unsafe {
        for &(begin, size) in (*addr_of_mut!(MODULES)).iter() {
            std::ptr::write_bytes(begin, 0, size);
        }
    }
}

/// The exit code for a file: 0 accepted, 1 refused, 101 a panic (message on standard error).
fn run(shared: &Shared, parse: &impl Fn(&[u8]) -> bool) -> i32 {
    let file = shared.file();
    clear_coverage();
    let code = match catch_unwind(AssertUnwindSafe(|| parse(&file))) {
        Ok(accepted) => i32::from(!accepted),
        Err(_) => 101,
    };
    shared.publish();
    code
}

/// Reads one file after the other.
fn work(orders: &mut File, out: &mut File, shared: &Shared, parse: &impl Fn(&[u8]) -> bool) -> ! {
    let mut order = [0u8];
    while orders.read_exact(&mut order).is_ok() {
        answer(out, b'D', run(shared, parse));
    }
    unsafe {
        shared.word(16).write_volatile(1);
        _exit(0)
    }
}

fn answer(out: &mut File, tag: u8, value: i32) {
    let mut message = [tag; 5];
    message[1..].copy_from_slice(&value.to_ne_bytes());
    if out.write_all(&message).is_err() {
        unsafe { _exit(0) }
    }
}

fn serve(place: &str, parse: &impl Fn(&[u8]) -> bool) {
    let parts: Vec<&str> = place.rsplitn(3, ':').collect();
    let descriptor = |text: &str| text.parse().expect("a descriptor");
    let of = |text| unsafe { File::from_raw_fd(descriptor(text)) };
    let (mut out, mut orders) = (of(parts[0]), of(parts[1]));
    let map = OpenOptions::new().read(true).write(true).open(parts[2]).expect("the shared memory");
    let size = map.metadata().expect("its size").len() as usize;
    let memory = unsafe { mmap(null_mut(), size, 3, 1, map.as_raw_fd(), 0) };
    assert!(memory as isize != -1, "the shared memory cannot be mapped");
    let shared = Shared(memory);
    answer(&mut out, b'H', 1);
    loop {
        let mut status = 0;
        unsafe {
            let child = fork();
            if child == 0 {
                work(&mut orders, &mut out, &shared, parse);
            }
            shared.word(12).write_volatile(child as u32);
            if child < 0 || waitpid(child, &mut status, 0) != child {
                _exit(3);
            }
            if shared.word(16).read_volatile() != 0 {
                _exit(0);
            }
        }
        match status & 0x7f {
            0 => answer(&mut out, b'E', status >> 8 & 0xff),
            signal => answer(&mut out, b'S', signal),
        }
    }
}

/// Runs `parse` on every file that the harness sends, or on those named by the arguments.
pub fn main(parse: impl Fn(&[u8]) -> bool) {
    if let Ok(place) = std::env::var("ANECHECK_FUZZ") {
        serve(&place, &parse);
    }
    let mut refused = false;
    for path in std::env::args().skip(1) {
        refused |= !parse(&std::fs::read(&path).expect("a file that can be read"));
    }
    std::process::exit(i32::from(refused));
}
