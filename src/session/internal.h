/* SPDX-License-Identifier: MIT */
/* Inside floor 4. */
#ifndef DBL_SESSION_INTERNAL_H
#define DBL_SESSION_INTERNAL_H

#include "base/thread.h"
#include "session/session.h"

struct dbl_session {
	const struct dbl_target *target;
	const struct dbl_env *env;
	struct dbl_session_options options;
	struct dbl_host host;
	struct dbl_link *link; /* for heartbeats */
	struct dbl_thread heartbeat_thread;
	_Atomic int64_t until; /* no request goes on past it: set while closing */

	struct dbl_mutex mutex; /* guards what follows */
	struct dbl_cond changed;
	bool stopping;
	int64_t errands_at; /* something beside heartbeats is to be done then; DBL_NEVER: nothing */
	int64_t errand_pause; /* before it is tried once more */
	int64_t beaten_at;    /* the last one was begun */
	int64_t beat_at;      /* it beats then at the latest; DBL_NEVER: when it is time */
	bool hurry; /* do not sleep till the next heartbeat: somebody waits for a new epoch, say */
	struct dbl_epoch *epoch;
	struct dbl_clock_sample clock; /* of the last heartbeat */
	struct dbl_cleanup *cleanups;
	struct dblock_error trouble; /* why there is no epoch at the moment */
};

/* heartbeat_thread.c */
int dbl_heartbeat_start(struct dbl_session *, struct dblock_error *err);

/* heartbeat.c */
int64_t dbl_heartbeat_deadline(const struct dbl_session *); /* of a request that is sent now */
int dbl_heartbeat_begin_epoch(struct dbl_session *, int64_t deadline, struct dblock_error *err);

/* Delete the row of an epoch that nobody has lived: nothing names it. */
void dbl_heartbeat_take_back(struct dbl_session *, const struct dbl_epoch *, int64_t deadline);

/* The life is over for us: say so in the database, so that nobody has to watch it die. */
void dbl_heartbeat_declare_own_dead(struct dbl_session *, int64_t deadline);

/* One heartbeat. 0: the epoch goes on, or has been found over; else it could not be told. */
int dbl_heartbeat_send(struct dbl_session *, int64_t deadline, struct dblock_error *err);

/* cleanup.c: one try for each; on the heartbeat thread. */
void dbl_cleanups_run(struct dbl_session *, int64_t deadline);
void dbl_cleanups_free(struct dbl_session *);

#endif
