/* SPDX-License-Identifier: MIT */
/* Calls in any mode, upgrades and downgrades, for a tape (tape.h). */
#ifndef TESTS_UNIT_HISTORY_MODES_H
#define TESTS_UNIT_HISTORY_MODES_H

#include <dblock/lock.h>

#include "tape.h"

enum { X = DBLOCK_EXCLUSIVE, S = DBLOCK_SHARED, U = DBLOCK_UPDATE, P = DBLOCK_PERMITS };
enum { CAPACITY = 4 };

static inline int64_t until(int64_t ms)
{
	return ms ? (ms + 1) * 1000 : 0;
}

static inline struct event in_mode(enum event_kind kind, int client, int wait, int mode)
{
	return (struct event){.kind = kind, .client = client, .wait = wait, .mode = mode};
}

/* The call waits for ever. */
static inline void asks(struct tape *t, int64_t ms, int client, int wait, int mode)
{
	put(t, ms, in_mode(EVENT_CALLED, client, wait, mode));
}

static inline void has(struct tape *t, int64_t ms, int client, int wait, int mode, int64_t token)
{
	struct event e = in_mode(EVENT_GRANTED, client, wait, mode);

	e.token = token;
	e.until = until(ms + VALID_MS);
	put(t, ms, e);
}

/* The call is in the queue, and seen there. */
static inline void stands(struct tape *t, int64_t ms, int client, int wait, int mode,
			  int64_t ticket)
{
	struct event e = in_mode(EVENT_QUEUED, client, wait, 0);

	asks(t, ms, client, wait, mode);
	e.ticket = ticket;
	put(t, ms + 1, e);
}

/* The whole call, from its begin to the release. */
static inline void takes(struct tape *t, int64_t from, int64_t to, int client, int wait, int mode,
			 int64_t token)
{
	asks(t, from, client, wait, mode);
	has(t, from + 1, client, wait, mode, token);
	gives(t, to, client, wait, token);
}

/* ---- permits --------------------------------------------------------------------------------- */

static inline void asks_for(struct tape *t, int64_t ms, int client, int wait, int64_t permits)
{
	struct event e = in_mode(EVENT_CALLED, client, wait, P);

	e.weight = permits;
	e.capacity = CAPACITY;
	put(t, ms, e);
}

static inline void has_permits(struct tape *t, int64_t ms, int client, int wait, int64_t permits,
			       int64_t token)
{
	struct event e = in_mode(EVENT_GRANTED, client, wait, P);

	e.weight = permits;
	e.capacity = CAPACITY;
	e.token = token;
	e.until = until(ms + VALID_MS);
	put(t, ms, e);
}

static inline void stands_for(struct tape *t, int64_t ms, int client, int wait, int64_t permits,
			      int64_t ticket)
{
	struct event e = in_mode(EVENT_QUEUED, client, wait, 0);

	asks_for(t, ms, client, wait, permits);
	e.ticket = ticket;
	put(t, ms + 1, e);
}

/* ---- changes --------------------------------------------------------------------------------- */

static inline void begins_change(struct tape *t, int64_t ms, enum event_kind kind, int client,
				 int wait, int mode, int64_t token)
{
	struct event e = in_mode(kind, client, wait, mode);

	e.token = token;
	e.until = until(ms + VALID_MS);
	put(t, ms, e);
}

static inline void ends_change(struct tape *t, int64_t ms, enum event_kind kind, int client,
			       int wait, int64_t token, int outcome)
{
	struct event e = in_mode(kind, client, wait, X);

	e.token = token;
	e.until = until(ms + VALID_MS);
	e.outcome = outcome;
	put(t, ms, e);
}

/* `token` is the new one, or the old one if it fails. */
static inline void upgrades(struct tape *t, int64_t from, int64_t to, int client, int wait,
			    int64_t token, int outcome)
{
	begins_change(t, from, EVENT_UPGRADING, client, wait, X, token);
	ends_change(t, to, EVENT_UPGRADED, client, wait, token, outcome);
}

static inline void downgrades(struct tape *t, int64_t from, int64_t to, int client, int wait,
			      int mode, int64_t token)
{
	begins_change(t, from, EVENT_DOWNGRADING, client, wait, mode, token);
	ends_change(t, to, EVENT_DOWNGRADED, client, wait, token, DBLOCK_OK);
}

#endif
