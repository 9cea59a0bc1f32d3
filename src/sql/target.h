/* SPDX-License-Identifier: MIT */
/* Where a client's connections go: made once at open, then only read, by any thread. */
#ifndef DBL_SQL_TARGET_H
#define DBL_SQL_TARGET_H

#include <dblock/client.h>

#include "base/tally.h"
#include "sql/names.h"

/* What the URL says of a pooler before the database: pool=transaction or pool=session. */
enum dbl_pool_mode {
	DBL_POOL_UNSAID,      /* nothing: each connection finds out */
	DBL_POOL_SESSION,     /* the server's end of a connection is ours as long as ours is open */
	DBL_POOL_TRANSACTION, /* it is ours as long as a transaction is open */
};

struct dbl_target {
	struct dbl_url url;
	const struct dbl_dialect *dialect;
	const struct dbl_driver *driver; /* the dialect's, or what env->intercept made of it */
	const struct dbl_env *env;
	struct dbl_names names;
	/* The durability of its connections; if DBLOCK_RELAXED, of requests only: see durable.c. */
	enum dblock_durability durability;
	enum dblock_durability requested; /* what the caller has asked for */
	enum dbl_pool_mode pool_mode;
	atomic_bool *pooled; /* a connection has found a pooler; NULL: there is no URL */
	/* The server itself, past a pooler, if the URL says direct=: for heartbeats, for being
	 * notified, for migrations. Or NULL. */
	struct dbl_target *direct;
	struct dbl_tally *tally; /* of the client whose connections these are; NULL: of none */
};

/* Where connections go that a pooler would be in the way of. */
static inline const struct dbl_target *dbl_target_past_pool(const struct dbl_target *target)
{
	return target->direct ? target->direct : target;
}

/* Parse the URL, find the dialect, check schema and prefix (NULL: defaults). Call dbl_target_free()
 * after a failure, too. */
int dbl_target_init(struct dbl_target *, const char *url, const char *schema, const char *prefix,
		    const struct dbl_env *, struct dblock_error *err);

/* For the caller's own connection to a database of that dialect: there is no URL. */
int dbl_target_adopt(struct dbl_target *, const char *dialect, const char *schema,
		     const char *prefix, const struct dbl_env *, struct dblock_error *err);

/* Set how durable its connections are, DBLOCK_DURABLE until then. DBLOCK_E_INVALID: this kind of
 * database cannot give more, and that was asked. */
int dbl_target_endure(struct dbl_target *, enum dblock_durability, struct dblock_error *err);

/* Its connections are to write: a server that cannot be written is refused. Or not: no file is made. */
void dbl_target_writes(struct dbl_target *, bool writes);

/* What goes over its connections is counted there, as is all that its client does. */
void dbl_target_count(struct dbl_target *, struct dbl_tally *);

void dbl_target_free(struct dbl_target *);

#endif
