/* SPDX-License-Identifier: MIT */
/*
 * What one look at a lock shows, and what follows from it. Pure functions but for dbl_look().
 *
 * A lock is held by a session (session set, expires null), or until its own end (expires set,
 * session null: a lease, or the rest of a minimum hold), or by nobody (both null).
 *
 * When may a holder be declared dead?
 *   - A call that waits has watched it: the same heartbeat (or lease, unchanged) for a whole ttl on
 *     this machine's own clock, counted from the receipt of the first answer. No clock of any other
 *     machine is asked, so none can be wrong.
 *   - A try does not wait: it goes by the database's clock, but only while that ran like ours since
 *     our last heartbeat.
 *   - A grant that is being taken away (revoked.h) is over when that was seen for its session's
 * whole ttl, however alive its holder is: it has been told by then, or its deadline has passed.
 * Declaring is one conditional statement on the session's row (bury); it and a heartbeat cannot
 * both succeed. Nothing is ever concluded from a session row that is not there.
 */
#ifndef DBL_LOCK_SNAPSHOT_H
#define DBL_LOCK_SNAPSHOT_H

#include "link/link.h"
#include "session/session.h"

#define DBL_UNKNOWN INT64_MIN

struct dbl_snapshot {
	bool own_alive; /* our own session's row is there and not dead */
	bool found;     /* the lock's row is there */
	bool held_by_session, held_until;
	bool session_found, session_dead;
	bool queued;                 /* somebody may be waiting in the queue */
	int64_t served;              /* ticket of the last waiter that it was granted to */
	int64_t ticket;              /* of our own wait; 0: it is not in the queue */
	bool by_rows;                /* rows of the queue may hold it: see queue_rows.h */
	int64_t row_token, row_left; /* of our own, if it holds; its lease, or DBL_UNKNOWN */
	int64_t token, nonce;
	char session[33];
	int64_t expires, lease, lease_left; /* of a lease; left: DBL_UNKNOWN if not comparable */
	int64_t beat, ttl, session_left;    /* of the holder's session */
	int64_t watch; /* it is being taken away: who has seen that for so long may free it; 0:
			  it is not */
	char host[256];
	int64_t pid, thread;           /* 0: one that is not named; DBL_THREAD_OF_IDLE */
	struct dbl_clock_sample clock; /* database's time, and ours before and after */
};

/* Whom to ask: the client's link, or a transaction that has the database for itself. */
struct dbl_asker {
	struct dbl_link *link;
	struct dbl_db *db; /* NULL: the link */
};

/* Run what answers with the columns of look. */
struct dbl_request;
int dbl_see(const struct dbl_asker *, struct dbl_request *, struct dbl_snapshot *,
	    struct dblock_error *err);

int dbl_look_by(const struct dbl_asker *, const char *name, const char *own_session, int64_t nonce,
		int64_t deadline, struct dbl_snapshot *, struct dblock_error *err);

/* nonce: of our own wait, or 0. One round trip. */
int dbl_look(struct dbl_link *, const char *name, const char *own_session, int64_t nonce,
	     int64_t deadline, struct dbl_snapshot *, struct dblock_error *err);

/* Somebody has it, alive or dead; a lease may have ended. */
static inline bool dbl_is_held(const struct dbl_snapshot *snapshot)
{
	return snapshot->held_by_session || snapshot->held_until;
}

/* The grant with this nonce has it, and its lease, if it has one, has not ended. */
bool dbl_holds(const struct dbl_snapshot *, int64_t nonce);

/* What has been seen unchanged, and since when (receipt of the first answer that showed it). */
struct dbl_watch {
	bool any;
	bool of_session;
	char session[33];
	int64_t beat;                  /* of_session */
	int64_t token, nonce, expires; /* else */
	int64_t since;
	int64_t revoked; /* nonce of the grant that has been seen to be taken away; 0: none */
	int64_t revoked_since;
};

/* Note a sight; starts anew where anything changed. */
void dbl_watch_note(struct dbl_watch *, const struct dbl_snapshot *);

enum dbl_action {
	DBL_WAIT,         /* it is held, and its holder may be alive */
	DBL_TAKE,         /* acquire should succeed now: free, dead, or ended */
	DBL_DECLARE_DEAD, /* declare the holder's session dead, then take */
	DBL_END_LEASE,    /* end the lease, then take */
	DBL_END_REVOKED, /* it was taken away from its holder for long enough: free it, then take */
	DBL_OWN_IS_OVER  /* our own session is dead */
};

/* For a call that waits: by what it has watched. */
enum dbl_action dbl_judge_watched(const struct dbl_snapshot *, const struct dbl_watch *,
				  int64_t now);

/* For a try: by the database's clock, if that can be trusted. */
enum dbl_action dbl_judge_now(const struct dbl_snapshot *, bool clock_agrees);

/* Carry out DBL_DECLARE_DEAD, DBL_END_LEASE or DBL_END_REVOKED: one conditional statement. Somebody
 * else may have been faster, or the holder lives after all: look again. */
int dbl_declare(const struct dbl_asker *, const char *name, const struct dbl_snapshot *,
		enum dbl_action, int64_t deadline, struct dblock_error *err);

/* "'x' is held by host h, pid 1 (token 2)" */
void dbl_snapshot_tell(const struct dbl_snapshot *, const char *name, struct dblock_error *err,
		       int code);

#endif
