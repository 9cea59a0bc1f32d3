/* SPDX-License-Identifier: MIT */
/**
 * @file elect.h  Leader election: one leader among any number of processes, with a value that all
 * can read and watch.
 *
 *     dblock_elect(client, "scheduler", &options, &lock, &err);     waits until it is the leader
 *     while (dblock_valid(lock, STEP_MS))                           it leads for that much more
 *             step();
 *     dblock_release(lock, &err);                                   it resigns: the next one leads
 *
 * A leader is who holds the exclusive lock of that name; the handle is a lock's, and all of lock.h
 * goes for it. So a leader learns that it is none any more before anybody else can be:
 * dblock_valid() turns false, `lost` is called and the descriptor of dblock_lost_fd() becomes
 * readable at its own deadline, whether or not the database can be reached. And what it does may
 * carry dblock_token(), which is larger than that of every leader before.
 *
 * A value says what others have to know of the leader, as an address. It belongs to the grant: the
 * next leader has its own from its first moment, and nobody's outlives it.
 */
#ifndef DBLOCK_ELECT_H
#define DBLOCK_ELECT_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of dblock_elect(). Zero means the default, everywhere. Those that struct
 * dblock_acquire_options has as well mean the same. */
struct dblock_elect_options {
	size_t size;       /**< sizeof(struct dblock_elect_options), set by the initialiser */
	const char *value; /**< what others read while it leads; copied */
	int64_t wait_ms;   /**< how long to stand for it; default: DBLOCK_FOREVER */
	uint64_t owner;
	int (*canceled)(void *arg);
	void *canceled_arg;
	void (*lost)(void *arg, struct dblock_lock *lock);
	void *lost_arg;
	void (*waiting)(void *arg, const struct dblock_waiting *);
	void *waiting_arg;
	int64_t waiting_every_ms;
	/** Called, on the calling thread, each time that the database fails and the campaign goes
	 * on all the same. It must not call dblock on the same client. Default: NULL */
	void (*trouble)(void *arg, const struct dblock_error *why);
	void *trouble_arg;
};

#define DBLOCK_ELECT_OPTIONS_INIT                                                                  \
	{                                                                                          \
		sizeof(struct dblock_elect_options), NULL, 0, 0, NULL, NULL, NULL, NULL, NULL,     \
			NULL, 0, NULL, NULL                                                        \
	}

/**
 * Campaign: stand in the queue, first come, first served, until it leads.
 *
 * As dblock_acquire(), it does not end because the database cannot be reached, restarts, fails over,
 * is a server that cannot be written, or answers too late: it tells `trouble`, and goes on, at the end
 * of the queue if its place was lost. It leads as long as its client's session lives, and
 * until dblock_release(). Re-entry is a lock's: a thread that leads already gets the same handle,
 * which wants its own release.
 *
 * @param name  of the office, which is a lock's name; copied
 * @param lock  the handle, to be given back with dblock_release(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK        it leads
 * @retval DBLOCK_TIMEOUT   not within wait_ms: somebody else did all the while
 * @retval DBLOCK_BUSY      with DBLOCK_NO_WAIT: somebody else leads
 * @retval DBLOCK_DEADLOCK  as dblock_acquire(), if this thread holds something already
 * @retval DBLOCK_CANCELED  options->canceled said so
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_UNSURE, DBLOCK_E_NO_ANSWER, DBLOCK_E_CONFLICT,
 *         DBLOCK_E_READONLY  only if wait_ms is over: the last trouble
 * @retval DBLOCK_E_INVALID  name, value or option is wrong
 * @retval DBLOCK_E_SCHEMA, DBLOCK_E_DENIED, DBLOCK_E_FULL, DBLOCK_E_NOMEM, DBLOCK_E_FORKED
 * Thread-safe. Blocks. Round trips as dblock_acquire().
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_elect(struct dblock_client *client, const char *name,
					     const struct dblock_elect_options *options,
					     struct dblock_lock **lock, struct dblock_error *err);

/**
 * Change the value that others read: of a leader, or of whoever holds any lock, in any mode.
 *
 * @param value  text of at most DBLOCK_VALUE_MAX bytes; NULL: none
 * @retval DBLOCK_OK    it is what others read now
 * @retval DBLOCK_LOST  the lock is not held by this grant any more; nobody else's was touched, and
 *                      if that was news (somebody broke it) `lost` is told as well
 * @retval DBLOCK_FENCED  a transaction that is open has fenced the lock; it is as it was
 * @retval DBLOCK_E_INVALID  the value is too long or not UTF-8; or an argument is NULL
 * @retval DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_BLOCKED, DBLOCK_E_FORKED, ...  it is what
 *                           it was
 * @retval DBLOCK_E_UNSURE   it may have been changed, or still be; set it again
 * Thread-safe. One round trip; two if nothing was to be changed.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_proclaim(struct dblock_lock *lock, const char *value,
						struct dblock_error *err);

/** Who leads. Owned by the caller; it has no pointers in it. */
struct dblock_leader {
	size_t size;   /**< sizeof(struct dblock_leader), set by the initialiser */
	int64_t token; /**< 0: nobody leads; then all else is 0 or "" */
	char value[DBLOCK_VALUE_MAX + 1];
	char host[256];
	int64_t pid;
	char app[64];     /**< of its client; "" if its grant has an end of its own */
	int64_t since_us; /**< when it was granted, since the epoch, by the database's clock */
};

/** Nobody leads. */
#define DBLOCK_LEADER_INIT                                                                         \
	{                                                                                          \
		sizeof(struct dblock_leader), 0, "", "", 0, "", 0                                  \
	}

/**
 * Who leads now? One whose session is dead, or has not beaten for its ttl, does not, nor one whose
 * grant has ended, though nobody may have taken over yet; nor who holds it in another mode than
 * exclusive. It is what the database says: a leader
 * that was just cut off from it is shown until its ttl is over, though it knows already.
 *
 * @param leader  begins with DBLOCK_LEADER_INIT; written with DBLOCK_OK and DBLOCK_STALE
 * @retval DBLOCK_OK     *leader says who
 * @retval DBLOCK_STALE  nobody leads
 * @retval DBLOCK_E_INVALID, or a failure as dblock_try()
 * Thread-safe. One round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_leader_of(struct dblock_client *client, const char *name,
						 struct dblock_leader *leader,
						 struct dblock_error *err);

#define DBLOCK_EVERY_MIN_MS 10

/** Options of dblock_leader_watch(). Zero means the default, everywhere. */
struct dblock_watch_options {
	size_t size;      /**< sizeof(struct dblock_watch_options), set by the initialiser */
	int64_t wait_ms;  /**< how long to watch; default: DBLOCK_FOREVER */
	int64_t every_ms; /**< from one look to the next, and up to a quarter more; from
			       DBLOCK_EVERY_MIN_MS to DBLOCK_TIMEOUT_MAX_MS; default: 1 000 */
	/** Asked at least every 100 ms, without any mutex held; not 0 ends the watch with
	 * DBLOCK_CANCELED. Default: NULL */
	int (*canceled)(void *arg);
	void *canceled_arg;
};

#define DBLOCK_WATCH_OPTIONS_INIT                                                                  \
	{                                                                                          \
		sizeof(struct dblock_watch_options), 0, 0, NULL, NULL                              \
	}

/**
 * Wait until another one leads than *leader says, or nobody, or somebody; or until its value is
 * another. Looks at once, so what changed between two calls is not missed; what changed and changed
 * back is, and of several changes within every_ms the last one is seen.
 *
 *     struct dblock_leader leader = DBLOCK_LEADER_INIT;
 *     do
 *             rc = dblock_leader_watch(client, "scheduler", NULL, &leader, &err);
 *     while (rc == DBLOCK_OK ? use(&leader) : rc == DBLOCK_STALE);
 *
 * @param leader  what the caller knows: from DBLOCK_LEADER_INIT (nobody leads), dblock_leader_of() or
 *                an earlier watch; written with DBLOCK_OK and DBLOCK_STALE
 * @retval DBLOCK_OK        *leader is another, or has another value
 * @retval DBLOCK_STALE     nobody leads any more
 * @retval DBLOCK_TIMEOUT   nothing has changed within wait_ms
 * @retval DBLOCK_CANCELED  options->canceled said so
 * @retval DBLOCK_E_INVALID, or a failure as dblock_try(): it may be watched further
 * Thread-safe. Blocks. One round trip a look.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_leader_watch(struct dblock_client *client, const char *name,
						    const struct dblock_watch_options *options,
						    struct dblock_leader *leader,
						    struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
