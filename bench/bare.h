/* SPDX-License-Identifier: MIT */
/* Statements of the library, sent by the client library alone: their own cost. A failure ends the
 * program. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include "sql/target.h"

struct bare;

void bare_die(const char *what, const char *why);

/* Opens a connection on which they are prepared, as durable as a client is by default. The target
 * must outlive it. */
struct bare *bare_open(const struct dbl_target *);
void bare_close(struct bare *);

/* Takes a lock for that session; returns the token. */
int64_t bare_acquire(struct bare *, const char *name, const char *session, int64_t nonce);
void bare_release(struct bare *, const char *name, int64_t token, int64_t nonce);

/* Makes one round trip. */
void bare_nothing(struct bare *);

#endif
