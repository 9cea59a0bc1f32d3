/* SPDX-License-Identifier: MIT */
/**
 * @file request.h  Ask whoever holds a lock to let go; hear that one is asked.
 *
 * Nothing is taken from anybody: the holder learns that it is asked, by whom and what for, and does
 * what it thinks right. A request is for one grant. It is over with that grant, and the next holder
 * is never asked by it. Asking again for the same grant is the same request, with the newest
 * reason.
 *
 * The holder learns of it with its next heartbeat at the latest (every third of its ttl): by the
 * callback `release_requested` of its options (lock.h), by a descriptor, or by a memory read. If it has
 * given that callback, or asked for that descriptor, and is on the same machine, it is woken and
 * learns of it at once. docs/user/requests.md has more.
 */
#ifndef DBLOCK_REQUEST_H
#define DBLOCK_REQUEST_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_REASON_MAX 255 /**< bytes */

/** Who asks for a lock, and why. Strings live until the callback returns; "" where unknown. */
struct dblock_release_request {
	size_t size; /**< sizeof(struct dblock_release_request) of the library */
	const char *reason;
	const char *host;
	int64_t pid;
	const char *app;
	int64_t since_us; /**< when it asked, since the epoch, by the database's clock */
};

/**
 * Ask whoever holds the lock to let go of it.
 *
 * @param reason  text for people: at most DBLOCK_REASON_MAX bytes of UTF-8 without control
 *                characters; NULL is ""
 * @retval DBLOCK_OK     asked: the request stands until that grant is over. Whether anybody heeds
 *                       it, or whether the holder's process is still there, is not known
 * @retval DBLOCK_STALE  nobody holds it; err->message says so
 * @retval DBLOCK_E_INVALID  name or reason is wrong
 * Otherwise as dblock_break(), but no transaction keeps it waiting. Thread-safe. Two round trips:
 * who holds it, and the request. What the first saw may be over by the second: then it looks again.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_request_release(struct dblock_client *client,
						       const char *name, const char *reason,
						       struct dblock_error *err);

/**
 * Ask for all the locks of one client, as before its program is replaced by a new version. That
 * client goes on taking others: tell it first not to.
 *
 * @param who     a session's id (32 hexadecimal digits), as dblock_list() shows it: what it holds,
 *                and the grants of its process that have an end of their own; or HOST:PID: all that
 *                this process holds
 * @param reason  as above
 * @param asked   so many locks were asked for, also on failure; NULL is allowed
 * @retval DBLOCK_OK     done; *asked may be 0, where the client holds nothing
 * @retval DBLOCK_STALE  no such client is known, and nothing is held by one
 * @retval DBLOCK_E_INVALID  who or reason is wrong
 * Otherwise as dblock_request_release(). Thread-safe. One round trip per lock, and one per 100 of them; it
 * reads the table of locks once.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_request_release_all(struct dblock_client *client,
							   const char *who, const char *reason,
							   int64_t *asked,
							   struct dblock_error *err);

/**
 * Has this grant been asked to let go, as far as is known here? A pure memory read, no round trip.
 * It stays true. In a child process of the holder: false. NULL is not requested. Thread-safe.
 */
DBLOCK_API bool dblock_release_requested(const struct dblock_lock *lock);

/**
 * A file descriptor for poll(2), select(2) or epoll(7) that becomes readable when the holder is
 * asked to let go, at the same moment as the callback `release_requested`. It belongs to the handle: do not
 * read it, do not close it; it is closed by the last dblock_release().
 * @retval DBLOCK_OK        *fd is it; readable at once if it was asked before
 * @retval DBLOCK_E_NOMEM   no descriptor is left
 * @retval DBLOCK_E_INVALID, DBLOCK_E_FORKED
 * Thread-safe. No round trip; the first time for a client, one soon after, on a thread of its own.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_release_requested_fd(struct dblock_lock *lock, int *fd,
							    struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
