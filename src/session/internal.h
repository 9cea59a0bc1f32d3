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
	struct dbl_thread keeper;
	_Atomic int64_t until; /* no request goes on past it: set while closing */

	struct dbl_mutex mutex; /* guards what follows */
	struct dbl_cond changed;
	bool stopping;
	int64_t errands_at; /* something beside heartbeats is to be done then; DBL_NEVER: nothing */
	int64_t errand_pause; /* before it is tried once more */
	int64_t beaten_at;    /* the last one was begun */
	int64_t beat_at;      /* it beats then at the latest; DBL_NEVER: when it is time */
	bool hurry; /* do not sleep till the next heartbeat: somebody waits for a new life, say */
	struct dbl_life *life;
	struct dbl_clock_sample clock; /* of the last heartbeat */
	struct dbl_debt *debts;
	struct dblock_error trouble; /* why there is no life at the moment */
};

/* heartbeat_thread.c */
int dbl_keeper_start(struct dbl_session *, struct dblock_error *err);

/* heartbeat.c */
int64_t dbl_keeper_deadline(const struct dbl_session *); /* of a request that is sent now */
int dbl_keeper_begin_life(struct dbl_session *, int64_t deadline, struct dblock_error *err);

/* Delete the row of a life that nobody has lived: nothing names it. */
void dbl_keeper_take_back(struct dbl_session *, const struct dbl_life *, int64_t deadline);

/* The life is over for us: say so in the database, so that nobody has to watch it die. */
void dbl_keeper_bury_own(struct dbl_session *, int64_t deadline);

/* One heartbeat. 0: the life goes on, or has been found over; else it could not be told. */
int dbl_keeper_beat(struct dbl_session *, int64_t deadline, struct dblock_error *err);

/* cleanup.c: one try for each; on the keeper's thread. */
void dbl_debts_settle(struct dbl_session *, int64_t deadline);
void dbl_debts_free(struct dbl_session *);

#endif
