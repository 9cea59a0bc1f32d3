/* SPDX-License-Identifier: MIT */
/* How much there is of everything. Inside src/lock, and for src/api. */
#ifndef DBL_LOCK_ADMIN_METRICS_H
#define DBL_LOCK_ADMIN_METRICS_H

#include <dblock/outbox.h>

#include "lock/core/context.h"

/* What a grant is held by, and what a session does, as numbers of the SQL texts. */
enum dbl_held {
	DBL_HELD_SESSION,
	DBL_HELD_LEASE,
	DBL_HELD_REST,
	DBL_HELD_DEAD,
	DBL_HELD_MISSING,
	DBL_HELD_COUNT
};
enum dbl_life { DBL_LIFE_ALIVE, DBL_LIFE_LATE, DBL_LIFE_DEAD, DBL_LIFE_MISSING, DBL_LIFE_COUNT };

/* What is read, each by one request. */
enum dbl_metrics_part {
	DBL_METRICS_GRANTS,
	DBL_METRICS_WAITERS,
	DBL_METRICS_SESSIONS,
	DBL_METRICS_VERSION,
	DBL_METRICS_ROWS,
	DBL_METRICS_BYTES,
	DBL_METRICS_OUTBOX,
	DBL_METRICS_NAMES,
	DBL_METRICS_PARTS
};

enum { DBL_METRICS_MODES = 4, DBL_METRICS_TABLES = 16, DBL_METRICS_TOPICS = 100 };

struct dbl_metrics_table {
	char name[DBL_PREFIX_MAX + 32];
	int64_t n;
};

struct dbl_metrics_topic {
	char name[DBLOCK_TOPIC_MAX + 1];
	int64_t messages, oldest, failing, parked; /* the last two are keys */
};

struct dbl_metrics_name {
	char *name;
	int64_t waiting, oldest;
};

/* Times are us, by the database's clock. */
struct dbl_metrics {
	bool seen[DBL_METRICS_PARTS]; /* what of the following was read */
	int64_t grants[DBL_METRICS_MODES][DBL_HELD_COUNT];
	int64_t oldest_hold;
	int64_t waiters[DBL_LIFE_COUNT];
	int64_t oldest_wait;
	int64_t sessions[DBL_LIFE_COUNT];
	bool beats; /* there is a heartbeat: the last one, and that of who is quiet for longest */
	int64_t last_beat, oldest_beat;
	int64_t version;
	struct dbl_metrics_table rows[DBL_METRICS_TABLES], bytes[DBL_METRICS_TABLES];
	size_t n_rows, n_bytes;
	struct dbl_metrics_topic topics[DBL_METRICS_TOPICS]; /* the first ones that have messages */
	size_t n_topics;
	int64_t names_wanted; /* in; 0: not asked for */
	struct dbl_metrics_name *names;
	size_t n_names;
};

/* Reads all of it. What may not be read, or cannot, is not `seen`, and `unseen` is called with the
 * part's name. After a failure as well the caller calls dbl_metrics_free(). */
int dbl_metrics_read(struct dbl_locks *, struct dbl_metrics *,
		     void (*unseen)(void *ctx, const char *what, const struct dblock_error *why),
		     void *ctx, struct dblock_error *err);
void dbl_metrics_free(struct dbl_metrics *);

#endif
