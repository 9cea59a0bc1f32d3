/* SPDX-License-Identifier: MIT */
/**
 * @file metrics.h  For operators: how much there is of everything, as numbers for a monitoring system.
 */
#ifndef DBLOCK_METRICS_H
#define DBLOCK_METRICS_H

#include <dblock/lock.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a number is of. A later version may know more: pass over what you do not. */
enum dblock_metric_kind {
	/** So many grants; by `mode`, and by what they are held by, in `state`: "session", "lease",
	    "minimum" (enum dblock_hold); or "dead", there for the taking; or "missing": only a break
	    helps. */
	DBLOCK_METRIC_GRANTS = 0,
	/** Age of the oldest grant that is in force; 0: there is none. */
	DBLOCK_METRIC_OLDEST_HOLD_US,
	/** So many calls wait in queues, one that waits for several names in each; by their session,
	    in `state`: "alive"; "late": its heartbeat is overdue by its ttl; "dead" and "missing":
	    it counts no more. */
	DBLOCK_METRIC_WAITERS,
	/** Age of the oldest wait that counts; 0: nobody waits. */
	DBLOCK_METRIC_OLDEST_WAIT_US,
	/** So many sessions; in `state`: "alive"; "late": its heartbeat is overdue by its ttl, and
	    it may be declared dead; "dead": declared dead, and not deleted yet. */
	DBLOCK_METRIC_SESSIONS,
	/** How long ago the last heartbeat was, of those that are not dead. Not told if there is
	    none. Negative: the database's clock has been set back. */
	DBLOCK_METRIC_LAST_HEARTBEAT_US,
	/** How long ago the last heartbeat was of the session that is quiet for longest. */
	DBLOCK_METRIC_OLDEST_HEARTBEAT_US,
	/** Version of the tables, as dblock_tables_version(), read anew. */
	DBLOCK_METRIC_TABLES_VERSION,
	/** Rows of a table, `name`, without the prefix: on SQLite counted, else as the server
	    guesses. */
	DBLOCK_METRIC_ROWS,
	/** Bytes of a table, `name`, with its indexes, where the database tells. */
	DBLOCK_METRIC_BYTES,
	/** Asked for by names: so many wait for this lock, `name`. */
	DBLOCK_METRIC_NAME_WAITERS,
	/** Asked for by names: age of the oldest wait for this lock, `name`. */
	DBLOCK_METRIC_NAME_OLDEST_WAIT_US,
	/** So many messages of the outbox wait to be delivered, of this topic, `name`. This and the
	    next three are told of the topics that have any, the first hundred in byte order. */
	DBLOCK_METRIC_TOPIC_MESSAGES,
	/** Age of its oldest message. */
	DBLOCK_METRIC_TOPIC_OLDEST_US,
	/** So many of its keys have a message that could not be delivered, and is tried again, */
	DBLOCK_METRIC_TOPIC_FAILING,
	/** and so many one that is not, until dblock_outbox_retry(). */
	DBLOCK_METRIC_TOPIC_PARKED
};

/** One number, as read. Strings live until the callback returns; "" where there is none. */
struct dblock_metric {
	size_t size; /**< sizeof(struct dblock_metric) of the library */
	enum dblock_metric_kind kind;
	const char *state;
	const char *name;
	enum dblock_mode mode;
	int64_t value;
};

/** Called for each number. Not 0 ends that, and is what dblock_metrics() returns. */
typedef int dblock_metric_cb(void *arg, const struct dblock_metric *stat);

#define DBLOCK_METRICS_NAMES_MAX 1000

/** Options of dblock_metrics(). Zero means the default, everywhere. */
struct dblock_metrics_options {
	size_t size;   /**< sizeof(struct dblock_metrics_options), set by the initialiser */
	int64_t names; /**< also tell of so many names, at most DBLOCK_METRICS_NAMES_MAX: those with
			    the oldest waits; default: none */
	/** Called for what could not be read, a few words, and why: a right is missing, or this
	    database does not tell. Its numbers are left out. Default: NULL */
	void (*unseen)(void *arg, const char *what, const struct dblock_error *why);
	void *unseen_arg;
};

#define DBLOCK_METRICS_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_metrics_options), 0, NULL, NULL                               \
	}

/**
 * Count everything: grants, waits, sessions, tables. Also what there is none of is told, as 0.
 * Reads only, each kind of its own: no snapshot of one moment. All of the lock table is read,
 * and of the outbox an index.
 * @return DBLOCK_OK, what the callback returned, or a failure as dblock_try(); then nothing was told
 * Thread-safe; the callbacks run without any mutex held and may use the client. Seven round trips,
 * and one for names.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_metrics(struct dblock_client *client,
					       const struct dblock_metrics_options *options,
					       dblock_metric_cb *found, void *arg,
					       struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
