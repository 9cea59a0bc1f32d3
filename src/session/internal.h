/* SPDX-License-Identifier: MIT */
/* What the files of src/session share. */
#ifndef DBL_SESSION_INTERNAL_H
#define DBL_SESSION_INTERNAL_H

#include "base/mark.h"
#include "base/thread.h"
#include "session/lineage.h"
#include "session/session.h"

struct dbl_session {
	const struct dbl_target *target;
	const struct dbl_env *env;
	struct dbl_session_options options;
	struct dbl_host host;
	struct dbl_mark *mark; /* of this process, which all epochs cite; NULL: there is none */
	struct dbl_link *link; /* the connection of the heartbeat thread */
	struct dbl_thread heartbeat_thread;
	_Atomic int64_t until;              /* no request goes on past it; set while closing */
	struct dbl_lineage lineage;         /* the heartbeat thread's, and: */
	enum dblock_connection_state state; /* as it was told last */
	int64_t proven_losses;              /* the link's losses when the last beat was answered */

	struct dbl_mutex mutex; /* guards what follows */
	struct dbl_cond changed;
	int alarm; /* rung for the heartbeat thread where it waits for a socket; -1: it does not */
	bool stopping;
	int64_t errands_at; /* when an errand is due, beside heartbeats; DBL_NEVER: there is none */
	int64_t errand_pause; /* how long until it is tried once more */
	int64_t beaten_at;    /* when the last heartbeat began */
	int64_t beat_at;      /* the latest time of the next heartbeat; DBL_NEVER: none */
	int64_t first_pause;  /* from the beginning to the first heartbeat */
	bool hurry;           /* the next heartbeat is due at once, as somebody waits for it */
	struct dbl_epoch *epoch;
	struct dbl_clock_sample clock; /* of the last heartbeat */
	struct dbl_cleanup *cleanups;
	struct dblock_error trouble; /* why there is no epoch at the moment */
};

/* Tell that the link leads to another server than before. */
static inline void dbl_session_moved(struct dbl_session *session)
{
	unsigned host;

	(void)dbl_link_hosts(session->link, &host);
	if (session->options.moved)
		session->options.moved(session->options.ctx, host);
}

/* heartbeat_thread.c: under the mutex, tell it, and who waits for an epoch, to look again. */
void dbl_session_wake(struct dbl_session *);

/* heartbeat.c */
int64_t dbl_heartbeat_deadline(const struct dbl_session *); /* for a request that is sent now */
void dbl_heartbeat_take_answer(struct dbl_session *, int64_t answer, int64_t sent);

/* Send one heartbeat. 0: the epoch goes on, or has been found over. Else nobody knows. */
int dbl_heartbeat_send(struct dbl_session *, int64_t deadline, struct dblock_error *err);

/* A beat was answered: the connection, if it is still there, leads to the database that we live in,
 */
static inline void dbl_heartbeat_prove(struct dbl_session *session)
{
	session->proven_losses =
		dbl_link_is_connected(session->link) ? dbl_link_losses(session->link) : -1;
}

/* and does so as long as it has not been lost. */
static inline bool dbl_heartbeat_is_proven(const struct dbl_session *session)
{
	return session->proven_losses == dbl_link_losses(session->link);
}

/* state.c, on the heartbeat thread: what the last heartbeat came to; the session is over, which is told
 * once; a new one has begun. */
void dbl_state_beaten(struct dbl_session *, int rc, const struct dblock_error *why);
void dbl_state_lost(struct dbl_session *);
void dbl_state_begun(struct dbl_session *);

/* epoch_row.c: writes the row of a new epoch, */
int dbl_epoch_row_begin(struct dbl_session *, int64_t deadline, struct dblock_error *err);

/* End the epoch's row by that operation, session_close or session_delete, if it has a beat of ours:
 * else another process goes on with our session, as a copy of this one. False: it may not have ended,
 * as the database did not say so. */
bool dbl_epoch_row_end(struct dbl_session *, enum dbl_op, int64_t deadline);

/* Mark the row of an epoch that is over for us dead, so that nobody has to watch it first. */
void dbl_epoch_row_declare_dead(struct dbl_session *, int64_t deadline);

struct dbl_epoch_row {
	bool found, dead;
	int64_t beat;
};

int dbl_epoch_row_read(struct dbl_session *, int64_t deadline, struct dbl_epoch_row *,
		       struct dblock_error *err);

/* The request for it; *id is the epoch's. */
struct dbl_request dbl_epoch_row_request(struct dbl_epoch_row *, const struct dbl_value *id,
					 int64_t deadline);

/* How long ago, in beats, was that of the living row sent? -1: it has none of ours. */
int dbl_epoch_row_age(const struct dbl_session *, const struct dbl_epoch_row *);

/* cleanup.c: each cleanup is tried once, on the heartbeat thread. */
void dbl_cleanups_run(struct dbl_session *, int64_t deadline);
void dbl_cleanups_free(struct dbl_session *);

/* rivals.c: is there another host that can be written as well, and is not the same database as ours?
 * What is not to be had in a short time is none. To be asked after a beat, and after the lineage has
 * been read. */
enum dbl_rivalry {
	DBL_RIVAL_NONE,
	DBL_RIVAL_NEWER, /* it goes on from ours: our host is a former primary */
	DBL_RIVAL_APART  /* neither of the two goes on from the other */
};

struct dbl_rival {
	enum dbl_rivalry is;
	unsigned host; /* which of the URL's, from 0 */
};

int dbl_rivals_look(struct dbl_session *, bool opening, int64_t deadline, struct dbl_rival *,
		    struct dblock_error *err);

/* Tell what it means to a caller that has found one: fails. A newer one is gone to. */
int dbl_rivals_refuse(struct dbl_session *, const struct dbl_rival *, struct dblock_error *err);

#endif
