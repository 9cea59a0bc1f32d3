/* SPDX-License-Identifier: MIT */
/* How much there is of everything. Inside src/lock, and for src/api. */
#ifndef DBL_LOCK_ADMIN_STATS_H
#define DBL_LOCK_ADMIN_STATS_H

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
enum dbl_stats_part {
	DBL_STATS_GRANTS,
	DBL_STATS_WAITERS,
	DBL_STATS_SESSIONS,
	DBL_STATS_VERSION,
	DBL_STATS_ROWS,
	DBL_STATS_BYTES,
	DBL_STATS_NAMES,
	DBL_STATS_PARTS
};

enum { DBL_STATS_MODES = 4, DBL_STATS_TABLES = 16 };

struct dbl_stats_table {
	char name[DBL_PREFIX_MAX + 32];
	int64_t n;
};

struct dbl_stats_name {
	char *name;
	int64_t waiting, oldest;
};

/* Times are us, by the database's clock. */
struct dbl_stats {
	bool seen[DBL_STATS_PARTS]; /* what of the following was read */
	int64_t grants[DBL_STATS_MODES][DBL_HELD_COUNT];
	int64_t oldest_hold;
	int64_t waiters[DBL_LIFE_COUNT];
	int64_t oldest_wait;
	int64_t sessions[DBL_LIFE_COUNT];
	bool beats; /* there is a heartbeat: the last one, and that of who is quiet for longest */
	int64_t last_beat, oldest_beat;
	int64_t version;
	struct dbl_stats_table rows[DBL_STATS_TABLES], bytes[DBL_STATS_TABLES];
	size_t n_rows, n_bytes;
	int64_t names_wanted; /* in; 0: not asked for */
	struct dbl_stats_name *names;
	size_t n_names;
};

/* Reads all of it. What may not be read, or cannot, is not `seen`, and `unseen` is called with the
 * part's name. After a failure as well the caller calls dbl_stats_free(). */
int dbl_stats_read(struct dbl_locks *, struct dbl_stats *,
		   void (*unseen)(void *ctx, const char *what, const struct dblock_error *why),
		   void *ctx, struct dblock_error *err);
void dbl_stats_free(struct dbl_stats *);

#endif
