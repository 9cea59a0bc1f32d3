/* SPDX-License-Identifier: MIT */
/* A client without a keeper: it does, statement by statement, what a test tells it to. */
#ifndef TESTS_SUPPORT_PUPPET_H
#define TESTS_SUPPORT_PUPPET_H

#include "sql/db.h"
#include "support/kit.h"

struct puppet {
	struct dbl_target target;
	struct dbl_db *db;
	char id[33]; /* of its session */
	int64_t beat, ttl;
	int64_t nonce, token; /* of its last grant */
	int64_t answer;       /* the integer of the last row that came */
	int rows;             /* how many came */
};

/* Connect, and write a session's row. The tables must be there. */
struct puppet *puppet_new(const struct dbl_env *env, int64_t ttl_ms);

/* Ends its session: whatever it still holds is free. */
void puppet_free(struct puppet *);

/* Run one operation; returns the rows changed. A failure fails the test. */
int64_t puppet_run(struct puppet *, enum dbl_op, const struct dbl_value *args);

/* Take a lock that is free, or what is left of a dead one's; false: it is held. */
bool puppet_takes(struct puppet *, const char *name);

/* A heartbeat; false: the session is over. */
bool puppet_beats(struct puppet *);

/* Bury its session, as seen with this heartbeat and ttl; true: that did it. */
bool puppet_is_buried(struct puppet *, int64_t beat, int64_t ttl);

#endif
