// SPDX-License-Identifier: MIT

//! What a Rust program needs of libdblock: open, acquire, hear of a loss, release.

use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_short, c_ulong};
use std::sync::atomic::{AtomicU64, Ordering};

/// As the headers have them. Handles are opaque.
mod ffi {
    use super::*;

    #[repr(C)]
    pub struct Client {
        _opaque: [u8; 0],
    }
    #[repr(C)]
    pub struct Lock {
        _opaque: [u8; 0],
    }

    /// The first members of struct dblock_acquire_options: `size` says that there are no more, and the
    /// library takes the default for all others, of this version and of later ones.
    #[repr(C)]
    pub struct AcquireOptions {
        pub size: usize,
        pub wait_ms: i64,
        pub lease_ms: i64,
        pub at_least_ms: i64,
        pub value: *const c_char,
        pub owner: u64,
    }

    /// It has no size, so it has to be whole.
    #[repr(C)]
    pub struct Error {
        pub code: c_int,
        pub native: c_int,
        pub sqlstate: [c_char; 6],
        pub message: [c_char; 2048],
    }

    #[repr(C)]
    pub struct PollFd {
        pub fd: c_int,
        pub events: c_short,
        pub revents: c_short,
    }

    #[link(name = "dblock")]
    extern "C" {
        pub fn dblock_open(
            url: *const c_char,
            options: *const u8,
            client: *mut *mut Client,
            err: *mut Error,
        ) -> c_int;
        pub fn dblock_close(client: *mut Client, err: *mut Error) -> c_int;
        pub fn dblock_acquire(
            client: *mut Client,
            name: *const c_char,
            options: *const AcquireOptions,
            lock: *mut *mut Lock,
            err: *mut Error,
        ) -> c_int;
        pub fn dblock_release(lock: *mut Lock, err: *mut Error) -> c_int;
        pub fn dblock_lost_fd(lock: *mut Lock, fd: *mut c_int, err: *mut Error) -> c_int;
        pub fn dblock_valid(lock: *const Lock, need_ms: i64) -> bool;
        pub fn dblock_token(lock: *const Lock) -> i64;
    }
    extern "C" {
        pub fn poll(fds: *mut PollFd, n: c_ulong, timeout_ms: c_int) -> c_int;
    }
}

pub const TIMEOUT: i32 = 2;
const POLLIN: c_short = 1;

/// What a call returned: > 0 is expected, < 0 a failure.
#[derive(Debug)]
pub struct Outcome {
    pub code: i32,
    pub message: String,
}

/// A call with an error of its own.
fn asked(call: impl FnOnce(*mut ffi::Error) -> c_int) -> Result<(), Outcome> {
    let mut err = ffi::Error {
        code: 0,
        native: 0,
        sqlstate: [0; 6],
        message: [0; 2048],
    };
    match call(&mut err) {
        0 => Ok(()),
        code => {
            let message = unsafe { CStr::from_ptr(err.message.as_ptr()) };
            Err(Outcome {
                code,
                message: message.to_string_lossy().into_owned(),
            })
        }
    }
}

/// Any number of threads may use it.
pub struct Client(*mut ffi::Client);
unsafe impl Send for Client {}
unsafe impl Sync for Client {}

/// Held until it is dropped, by whichever thread; and it cannot outlive its client.
pub struct Lock<'a>(*mut ffi::Lock, PhantomData<&'a Client>);
unsafe impl Send for Lock<'_> {}
unsafe impl Sync for Lock<'_> {}

impl Client {
    pub fn open(url: &str) -> Result<Client, Outcome> {
        let url = CString::new(url).expect("a URL has no NUL");
        let mut client = std::ptr::null_mut();
        asked(|err| unsafe { ffi::dblock_open(url.as_ptr(), std::ptr::null(), &mut client, err) })?;
        Ok(Client(client))
    }

    /// Waits for so long, or for ever. A task of an async runtime moves from thread to thread, and a lock may:
    /// so each acquire is an owner of its own, and none is a re-entry because its thread holds the name.
    pub fn acquire(&self, name: &str, wait_ms: Option<i64>) -> Result<Lock<'_>, Outcome> {
        static OWNERS: AtomicU64 = AtomicU64::new(1);
        let name = CString::new(name).expect("a name has no NUL");
        let options = ffi::AcquireOptions {
            size: std::mem::size_of::<ffi::AcquireOptions>(),
            wait_ms: wait_ms.unwrap_or(0),
            lease_ms: 0,
            at_least_ms: 0,
            value: std::ptr::null(),
            owner: OWNERS.fetch_add(1, Ordering::Relaxed),
        };
        let mut lock = std::ptr::null_mut();
        asked(|err| unsafe {
            ffi::dblock_acquire(self.0, name.as_ptr(), &options, &mut lock, err)
        })?;
        Ok(Lock(lock, PhantomData))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        unsafe { ffi::dblock_close(self.0, std::ptr::null_mut()) };
    }
}

impl Lock<'_> {
    pub fn token(&self) -> i64 {
        unsafe { ffi::dblock_token(self.0) }
    }

    /// A memory read: ask before each step that matters.
    pub fn valid(&self, need_ms: i64) -> bool {
        unsafe { ffi::dblock_valid(self.0, need_ms) }
    }

    /// Sleeps until the lock is lost, or for so long. A descriptor in the place of a callback, which must not
    /// unwind, and would have to be Send; an event loop can watch the descriptor, too.
    pub fn lost_within(&self, timeout_ms: i32) -> Result<bool, Outcome> {
        let mut fd = ffi::PollFd {
            fd: -1,
            events: POLLIN,
            revents: 0,
        };
        asked(|err| unsafe { ffi::dblock_lost_fd(self.0, &mut fd.fd, err) })?;
        Ok(unsafe { ffi::poll(&mut fd, 1, timeout_ms) } > 0)
    }

    /// As dropping it, but says whether the lock was lost before.
    pub fn release(self) -> Result<(), Outcome> {
        let lock = std::mem::ManuallyDrop::new(self);
        asked(|err| unsafe { ffi::dblock_release(lock.0, err) })
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        unsafe { ffi::dblock_release(self.0, std::ptr::null_mut()) };
    }
}
