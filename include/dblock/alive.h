/* SPDX-License-Identifier: MIT */
/**
 * @file alive.h  Whose end ends a session at once, on one machine.
 *
 * When a process that has a client open ends, however it ends, the kernel tells those on the same
 * machine who wait for its locks, and they have them within milliseconds: docs/user/liveness.md. A
 * child that it has forked counts as well, and keeps the locks until it has ended, too, or the
 * session's ttl is over. A program that was started (exec) does not count, unless it is given a
 * descriptor of these.
 *
 * What the process has sent may still arrive, as statements that a server has received are carried
 * out: who cannot fence them (fence.h) says settle_ms when he acquires. Then, after the process's end,
 * nobody gets what the client held sooner than so long after that was found out; of several settle_ms
 * the longest counts. The ttl runs besides.
 *
 * What any of this cannot tell, time does: the ttl.
 */
#ifndef DBLOCK_ALIVE_H
#define DBLOCK_ALIVE_H

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A descriptor for programs that this process starts, and that must have ended, too, before others
 * are told that it is dead: it is not, as long as any process has this descriptor, or a copy of it,
 * open. Close it when the last of them is started.
 *
 * @return a descriptor that exec closes (FD_CLOEXEC: fcntl(2)), or -1, and errno: the client has
 *         nothing to tell its end by (ENOENT: no /dev/shm, another mount namespace than at its
 *         opening), or there is no descriptor left
 * Thread-safe, does not block, no round trip.
 */
DBLOCK_API int dblock_alive_fd(const struct dblock_client *client);

/**
 * For several processes that live and die as one: a descriptor to be made before they are forked.
 * The client of one of them is opened with it, as alive_fd in its options; then its session counts
 * as alive as long as any process has the descriptor, or a copy of it, open. For one client at a
 * time: it is of no use any more once that is closed.
 *
 * @return a descriptor that exec closes, to be closed by the caller; or -1, and errno: there can be
 *         none here
 * Thread-safe, does not block.
 */
DBLOCK_API int dblock_alive_new(void);

/**
 * As dblock_alive_fd(), by a descriptor of dblock_alive_new().
 * Thread-safe, does not block.
 */
DBLOCK_API int dblock_alive_hand_on(int alive_fd);

/**
 * The calling process counts until its end, whatever it closes, and whatever program it becomes: for a
 * child between fork and exec, since many a program closes each descriptor that it did not open (ssh,
 * a daemon). What that starts in turn needs a descriptor. Until then whoever waits is not told of the
 * death; he looks every 200 ms whether they have ended. Who waits in another pid or time
 * namespace cannot: there the ttl decides.
 *
 * @param fd  of dblock_alive_fd(), dblock_alive_new() or dblock_alive_hand_on(); not needed afterwards
 * @return 0, or an errno: ENOSPC: 16 living processes do so already; EXDEV: they are of another pid or
 *         time namespace; ENOTSUP: it is no such descriptor, or there is no /proc
 * Thread-safe, does not block; may be called between fork and exec.
 */
DBLOCK_API int dblock_alive_stay(int fd);

/**
 * Does any process still have a descriptor of dblock_alive_hand_on() open?
 * @param alive_fd  of dblock_alive_new(), as that was
 * Thread-safe, does not block.
 */
DBLOCK_API bool dblock_alive_is_handed_on(int alive_fd);

/**
 * Of how many clients of processes that have ended on this machine there is still a proof, since
 * nobody has declared them dead by it: this user's, or as root everybody's, of whatever database.
 * dblock_reap() does that (admin.h).
 * Thread-safe, does not block, no round trip.
 */
DBLOCK_API int64_t dblock_alive_ended(void);

#ifdef __cplusplus
}
#endif
#endif
