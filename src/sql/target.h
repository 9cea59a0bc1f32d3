/* SPDX-License-Identifier: MIT */
/* Where a client's connections go: made once at open, then only read, by any thread. */
#ifndef DBL_SQL_TARGET_H
#define DBL_SQL_TARGET_H

#include <dblock/client.h>

#include "sql/names.h"

struct dbl_target {
	struct dbl_url url;
	const struct dbl_dialect *dialect;
	const struct dbl_driver *driver; /* the dialect's, or what the env put before it */
	const struct dbl_env *env;
	struct dbl_names names;
	/* Of connections to it; of requests only, if that is DBLOCK_RELAXED: see durable.c. */
	enum dblock_durability durability;
	enum dblock_durability wished; /* as asked */
};

/* Parse the URL, find the dialect, check schema and prefix (NULL: defaults). dbl_target_free() is
 * due in any case. */
int dbl_target_init(struct dbl_target *, const char *url, const char *schema, const char *prefix,
		    const struct dbl_env *, struct dblock_error *err);

/* For the caller's own connection to that dialect's kind of database: there is no URL. */
int dbl_target_adopt(struct dbl_target *, const char *dialect, const char *schema,
		     const char *prefix, const struct dbl_env *, struct dblock_error *err);

/* How durable its connections are: as asked, where this kind of database can be asked for that;
 * what is missed there is DBLOCK_E_INVALID. Until then: DBLOCK_DURABLE. */
int dbl_target_endure(struct dbl_target *, enum dblock_durability, struct dblock_error *err);

void dbl_target_free(struct dbl_target *);

#endif
