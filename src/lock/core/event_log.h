/* SPDX-License-Identifier: MIT */
/*
 * Events, the rows of dblock_event, that do not go with something else that is written: a loss that
 * only its holder knows of, a refusal. They are kept in memory until the heartbeat thread can write
 * them, or the client is closed. Nothing is decided by them, so where there is no memory, or too
 * much happens at once, they are dropped.
 */
#ifndef DBL_LOCK_EVENT_LOG_H
#define DBL_LOCK_EVENT_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dblock/events.h>

#include "base/host.h"
#include "driver/value.h"

struct dbl_link;
struct dbl_locks;
struct dbl_event_note;

/* A client's part; under its mutex, but for what is atomic. */
struct dbl_event_log {
	struct dbl_event_note *first;
	unsigned n;
	atomic_bool due;  /* something is to be done */
	atomic_bool trim; /* the table may have grown too much */
};

/* How many rows the reaper keeps, and for how long; and how many there may be where none runs. */
enum { DBL_EVENTS_KEPT = 10000, DBL_EVENTS_KEPT_UNREAPED = 20000 };
#define DBL_EVENTS_KEPT_US (30LL * 24 * 3600 * 1000000)

/* Notes what happened to this client's grant, or its request. session: "" if it lives by none.
 * Without the mutex. */
void dbl_event_note(struct dbl_locks *, enum dblock_event_kind, const char *name, int64_t token,
		    const char *session, const char *detail);

/* An event has been written with something else: now and then the table is looked after. */
void dbl_event_written(struct dbl_locks *);

/* Writes what has been noted. */
void dbl_events_write(struct dbl_locks *, struct dbl_link *, int64_t deadline);

void dbl_event_log_free(struct dbl_event_log *);

/* The arguments of an operation that say who does it. host: NULL: it is not known. */
#define DBL_BY(host)                                                                               \
	dbl_text((host) ? (host)->name : ""), dbl_int((host) ? (host)->pid : 0),                   \
		dbl_text((host) ? (host)->app : "")

#endif
