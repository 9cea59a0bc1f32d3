/* SPDX-License-Identifier: MIT */
/**
 * @file once.h  A job that a fleet does exactly once for each of its slots: cron everywhere, run
 * once.
 *
 *     rc = dblock_once(client, "report", "2026-11-21", NULL, &lock, &err);
 *     if (rc == DBLOCK_OK) {                    DBLOCK_DONE: somebody has done it
 *             report();
 *             rc = dblock_once_done(lock, &err);
 *     }                                         dblock_release() instead: it is still to be done
 *
 * The job is an exclusive lock of its name, so one slot of a job is done at a time, and the handle
 * is a lock's: all of lock.h goes for it. A slot is a text of the caller's, as a date; it is done
 * when a mark says so, in a table of the database.
 *
 * What is promised: at most one mark for a slot, ever (until the reaper forgets it, after 400
 * days), and once there is one nobody gets the slot again. A mark is written only while its grant
 * is the newest of the lock, in one statement that keeps takeovers out; so of two that both believe
 * to have the job, only the one that the database knows can mark it. Who crashes, is stopped or cut
 * off before its mark leaves the slot to the next. So the *mark* is made exactly once, but the
 * *work* is done at least once: it is done again if it was all done and its mark was not. Work in
 * the same database can commit with its mark, and is then done exactly once: docs/user/once.md says
 * how.
 */
#ifndef DBLOCK_ONCE_H
#define DBLOCK_ONCE_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DBLOCK_SLOT_MAX 64 /**< bytes */

/**
 * Get a slot of a job to do, waiting up to options->wait_ms while somebody is at it, or at another
 * slot of the same job. Who waits for one that gets it done hears DBLOCK_DONE; for one that dies,
 * or gives it back, gets it.
 *
 * @param name     of the job, which is a lock's name; copied
 * @param slot     1 to DBLOCK_SLOT_MAX bytes of UTF-8 without control characters, compared byte for
 *                 byte; copied
 * @param options  as of dblock_acquire(); the mode is exclusive
 * @param lock     the handle, to be given back with dblock_once_done() or dblock_release(); NULL
 *                 unless DBLOCK_OK
 * @retval DBLOCK_OK        yours to do
 * @retval DBLOCK_DONE      it has been done; err->message says by whom, and when
 * @retval DBLOCK_BUSY      only with DBLOCK_NO_WAIT: as dblock_once_try()
 * @retval DBLOCK_TIMEOUT, DBLOCK_CANCELED, DBLOCK_DEADLOCK  as dblock_acquire()
 * @retval DBLOCK_E_INVALID name, slot, value or option is wrong; or this thread (or owner) holds
 *                          the lock already
 * Or a failure as dblock_try(). Thread-safe. Blocks. One round trip if it has been done; else two
 * more than dblock_acquire(): a look before the lock, and the one that counts, under it.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_once(struct dblock_client *client, const char *name,
					    const char *slot,
					    const struct dblock_acquire_options *options,
					    struct dblock_lock **lock, struct dblock_error *err);

/**
 * The same without waiting, as dblock_try():
 * @retval DBLOCK_BUSY  somebody is at it, or at another slot of the same job
 * Otherwise as dblock_once(). Round trips: two more than dblock_try(), or one.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_once_try(struct dblock_client *client, const char *name,
						const char *slot,
						const struct dblock_acquire_options *options,
						struct dblock_lock **lock,
						struct dblock_error *err);

/**
 * It is done: mark the slot, and release the lock. To give it back undone: dblock_release().
 * With DBLOCK_OK and DBLOCK_LOST the handle is gone. With a failure it is not, and the call can be
 * made again: however often, there is one mark.
 *
 * @param lock  from dblock_once() or dblock_once_try()
 * @retval DBLOCK_OK    it is marked, by this grant. The database decides: also if dblock_valid()
 *                      has turned false, as long as nobody has taken over
 * @retval DBLOCK_LOST  it is not: somebody has taken over, or broken the lock; the slot is, or was,
 *                      somebody else's to do
 * @retval DBLOCK_FENCED  a transaction that is open has fenced the lock: it is not marked, and held
 * @retval DBLOCK_E_INVALID  NULL, or the lock is not of dblock_once(), or was downgraded
 * @retval DBLOCK_E_UNSURE   the answers were lost: it may have been marked; call again, or release:
 *                           the next one who asks for the slot is told
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_BLOCKED, ...  it is not marked
 * Thread-safe, but for one thread at a time on one handle. Two round trips; three if the grant is
 * over.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_once_done(struct dblock_lock *lock,
						 struct dblock_error *err);

/** The slot; "" if the lock is not of dblock_once(). Lives as long as the handle. Thread-safe. */
DBLOCK_API const char *dblock_once_slot(const struct dblock_lock *lock);

#ifdef __cplusplus
}
#endif
#endif
