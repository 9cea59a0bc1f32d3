/* SPDX-License-Identifier: MIT */
/**
 * @file wait.h  Calls in steps, for a loop of your own, and for threads that cancel: an acquire, a
 * try, a release and an extension that block nobody.
 *
 *     dblock_acquire_begin(client, "job", NULL, &wait, &err);
 *     dblock_wait_fd(wait, &fd, &err);            and wait for it to be readable, then
 *     rc = dblock_wait_step(wait, &lock, &err);   again and again, while that is DBLOCK_WAITING
 *     dblock_wait_end(wait);
 *
 * A wait that is in the queue may be granted the lock at any time: it holds it then, whether or not
 * it is stepped. So step soon when the descriptor says so, and end what is not wanted any more.
 *
 * Threads: one at a time may be in a step of a wait; any may cancel it meanwhile.
 *
 * Owners: each acquire and each try that is begun here is an owner of its own, whichever thread begins
 * and steps it, and whatever that thread holds. So two requests of one loop never both have a lock:
 * the second one waits for the release of the first. A thread that holds the lock by dblock_acquire()
 * does not get it again by a wait, nor the other way round. With options.owner, re-entry goes by that,
 * as ever. Neither is a thread: others see thread 0, and no deadlock is looked for
 * (docs/user/deadlocks.md).
 *
 * What blocks: dblock_wait_finish(), and dblock_wait_end() where there are callbacks. Nothing
 * else here waits for the database in your thread, neither when it is begun nor in its steps: threads
 * of the client, up to four, ask it, and call options->canceled and options->waiting, if they are
 * there. For what does block, and takes no other thread, there is dblock_acquire().
 */
#ifndef DBLOCK_WAIT_H
#define DBLOCK_WAIT_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dblock_wait;

/**
 * Begin to acquire, as dblock_acquire() would. Nothing is asked of the database before the first
 * step, or finish, which is due at once; options->wait_ms counts from here.
 *
 * @param name     copied
 * @param options  copied, with its value
 * @param wait     the new wait, to be ended with dblock_wait_end() before its client is closed;
 *                 NULL unless DBLOCK_OK
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  name, value or option is wrong
 * @retval DBLOCK_E_NOMEM    no memory, thread or file descriptor is left: each wait has one of these
 * @retval DBLOCK_E_FORKED
 * Thread-safe. Does not block.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_acquire_begin(struct dblock_client *client, const char *name,
						     const struct dblock_acquire_options *options,
						     struct dblock_wait **wait,
						     struct dblock_error *err);

/**
 * Begin what dblock_try() does: the outcome is what that would have returned, and so is the handle.
 *
 * @param name, options, wait  as of dblock_acquire_begin()
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  name, value or option is wrong
 * @retval DBLOCK_E_NOMEM    no memory, descriptor or thread is left: nothing is asked
 * @retval DBLOCK_E_FORKED
 * Thread-safe. Does not block.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_try_begin(struct dblock_client *client, const char *name,
						 const struct dblock_acquire_options *options,
						 struct dblock_wait **wait,
						 struct dblock_error *err);

/**
 * Begin what dblock_release() does: the outcome is what that would have returned. From now on the
 * handle is gone, for each other call; only with the outcome DBLOCK_FENCED it is yours again, and
 * held as it was. No callback of it begins any more; one that runs may do so until the outcome.
 * Extensions of it that were begun before are made before.
 *
 * It goes on by itself, also after dblock_wait_cancel(), which has no effect on it, and after
 * dblock_wait_end(), for whoever does not want to know: dblock_close() waits for it.
 *
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  an argument is NULL
 * @retval DBLOCK_E_NOMEM    no memory, descriptor or thread is left: the handle is still yours
 * @retval DBLOCK_E_FORKED   the handle is the parent process's
 * Thread-safe. Does not block.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_release_begin(struct dblock_lock *lock,
						     struct dblock_wait **wait,
						     struct dblock_error *err);

/**
 * Begin what dblock_extend() does: the outcome is what that would have returned. The handle stays
 * yours; what releases it waits until the extension has been made. It goes on by itself as a release
 * does.
 *
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  an argument is NULL, or lease_ms is out of bounds
 * @retval DBLOCK_E_NOMEM    no memory, descriptor or thread is left: nothing has changed
 * @retval DBLOCK_E_FORKED   the handle is the parent process's
 * Thread-safe. Does not block.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_extend_begin(struct dblock_lock *lock, int64_t lease_ms,
						    struct dblock_wait **wait,
						    struct dblock_error *err);

/**
 * A file descriptor for poll(2), select(2) or epoll(7) that is readable whenever a step is due: there
 * is an outcome; or, of an acquire, it has perhaps been granted, was canceled, or is to look again, as
 * it is at least once a second (every 100 ms if options->canceled is to be asked). It stays so until
 * the step; after dblock_shutdown() it is readable once more. What the step has the database asked
 * for is not waited for: meanwhile it is not readable. It belongs to the wait: do not read it, do not
 * close it; it is closed by dblock_wait_end().
 * @retval DBLOCK_OK  *fd is it
 * @retval DBLOCK_E_INVALID, DBLOCK_E_FORKED
 * Thread-safe. No round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_wait_fd(struct dblock_wait *wait, int *fd,
					       struct dblock_error *err);

/**
 * Tell the outcome, or have done what is due, which may be nothing.
 *
 * @param lock  the handle, to be given back with dblock_release() or dblock_release_begin(); NULL
 *              unless it is DBLOCK_OK, of an acquire or a try
 * @retval DBLOCK_WAITING   not yet: step again when the descriptor is readable; err->message says
 *                          who has it, as far as is known, or that there is no answer yet
 * @retval DBLOCK_OK        yours
 * @retval DBLOCK_TIMEOUT   not free within wait_ms
 * @retval DBLOCK_BUSY      of a try, or with DBLOCK_NO_WAIT: somebody else's, or as dblock_try()
 * @retval DBLOCK_CANCELED  by dblock_wait_cancel() or dblock_shutdown(), or options->canceled said
 *                          so
 * @retval DBLOCK_E_INVALID an argument is NULL, another thread is in a step of this wait, or it is
 *                          over: nothing was done
 * @retval DBLOCK_E_FORKED  the wait is the parent process's: nothing was done
 * Or a failure as dblock_try(). After any outcome but DBLOCK_WAITING, and those two, the wait is
 * over: it is out of the queue (after a re-entry: a moment later), and what is left to do is
 * dblock_wait_end().
 *
 * Thread-safe, for one thread at a time. Does not block. What a step has asked takes as many round
 * trips as it does dblock_acquire(), or the other calls. Where an answer is lost, the connection is
 * down, or the session is over, the client goes on trying for the time of one request, timeout_ms;
 * with four such requests under way, others come after them.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_wait_step(struct dblock_wait *wait,
						 struct dblock_lock **lock,
						 struct dblock_error *err);

/**
 * Ask the database in this thread, and sleep, until the wait is over: what dblock_acquire() does, but
 * another thread can end it with dblock_wait_cancel(). What was begun before in another thread's
 * step, or is no acquire, a thread of the client does, and this one waits for it.
 * Outcomes as dblock_wait_step(), without DBLOCK_WAITING. Thread-safe, for one thread at a time.
 * Blocks. Round trips as dblock_acquire().
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_wait_finish(struct dblock_wait *wait,
						   struct dblock_lock **lock,
						   struct dblock_error *err);

/**
 * Cancel a wait. A step, or finish, that begins after this does not get the lock: the wait comes to
 * DBLOCK_CANCELED (unless its time was up, or it had failed, before), and what was granted
 * meanwhile is passed on to who is next. One that is under way may still come to DBLOCK_OK. A try
 * comes to DBLOCK_CANCELED if it has got the lock, else to what it would; on a release or an
 * extension this has no effect. NULL is
 * allowed; after the outcome it does nothing; not to be called once dblock_wait_end() has been.
 * Any thread may call it, also in a signal handler: it is async-signal-safe. Does not block, no
 * round trip.
 */
DBLOCK_API void dblock_wait_cancel(struct dblock_wait *wait);

/**
 * End a wait, over or not, and free it, with its descriptor. A handle that it brought is not touched.
 * If it still is in the queue it leaves, in a moment, and what was granted to it meanwhile is passed
 * on; if the database cannot be told, the client goes on trying with each heartbeat, and so does
 * dblock_close(). What an acquire or a try gets, that was ended before its outcome, is released. No
 * other thread may be inside a call on this wait. NULL is allowed; in a child process of the one that
 * began it, it does nothing. Thread-safe. Does not block, but where its options have a callback: then
 * until what is under way has ended, and no callback of it is called any more. (So it is not to be
 * called in one.) To not block then, and to know when it has left the queue: cancel it, and step until
 * it is over.
 */
DBLOCK_API void dblock_wait_end(struct dblock_wait *wait);

#ifdef __cplusplus
}
#endif
#endif
