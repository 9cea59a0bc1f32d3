// SPDX-License-Identifier: MIT

//! Threads that count under a lock, one that gives up waiting, and one that hears that its lock is lost.

mod dblock;

use dblock::{Client, Outcome};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Lets 8 threads add 1, 10 times each, to what only the lock protects from being lost.
fn count(client: &Client) -> Result<u64, Outcome> {
    let n = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| -> Result<(), Outcome> {
                    for _ in 0..10 {
                        let _lock = client.acquire("count", None)?;
                        let seen = n.load(Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(1));
                        n.store(seen + 1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    Ok(n.into_inner())
}

fn main() -> Result<(), Outcome> {
    let client = Client::open(&std::env::args().nth(1).expect("usage: rust URL"))?;
    println!("counted to {}", count(&client)?);

    let lock = client.acquire("held", None)?;
    match client.acquire("held", Some(200)) {
        Err(outcome) if outcome.code == dblock::TIMEOUT => println!("gave up waiting"),
        Err(outcome) => return Err(outcome),
        Ok(_) => panic!("this thread got its own lock again, as an owner of its own"),
    }

    println!("held: {} token: {}", lock.valid(0), lock.token());
    while !lock.lost_within(1000)? {}
    println!("lost; held: {}", lock.valid(0));
    match lock.release() {
        Err(outcome) => println!("release: {}", outcome.message),
        Ok(()) => println!("released"),
    }
    Ok(())
}
