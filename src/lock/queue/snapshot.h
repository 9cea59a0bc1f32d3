/* SPDX-License-Identifier: MIT */
/*
 * What one look at a lock shows, and what follows from it. Functions without a connection are pure.
 *
 * A lock is held by a session (session set, expires null), or until its own end (expires set,
 * session null: a lease, or the rest of a minimum hold), or by nobody (both null).
 *
 * When may a holder be declared dead?
 *   - A waiting call may, once it has seen the same heartbeat (or lease, unchanged) for a whole ttl
 *     of this machine's own clock, counted from the receipt of the first answer. No clock of any
 *     other machine is asked, so none can be wrong.
 *   - Anybody may, by the kernel's word: the holder's mark says that its process has ended.
 *   - A try, which does not wait, goes by the database's clock, but only while that ran like ours
 *     since our last heartbeat. One for a cluster's vote does not: it goes by what the client's
 *     calls have watched.
 *   - A grant that is being taken away (revoked.h) is over once that was seen for its session's
 *     whole ttl, even if its holder lives: it has been told by then, or its deadline has passed.
 * Declaring is one conditional statement on the session's row (bury); this and a heartbeat cannot
 * both succeed. Nothing is ever concluded from a missing session row.
 */
#ifndef DBL_LOCK_SNAPSHOT_H
#define DBL_LOCK_SNAPSHOT_H

#include "base/mark.h"
#include "link/link.h"
#include "session/session.h"

#define DBL_UNKNOWN INT64_MIN

struct dbl_snapshot {
	bool own_alive; /* our own session has its row, with its last beat, and is not dead */
	bool found;     /* the lock has a row */
	bool held_by_session, held_until;
	bool session_found, session_dead;
	bool queued;                 /* somebody may wait in the queue */
	int64_t served;              /* last ticket that was granted to */
	int64_t ticket;              /* of our own wait; 0: not in the queue */
	bool by_rows;                /* rows of the queue may hold the lock: see queue_rows.h */
	int64_t row_token, row_left; /* of our own row, if it holds; its lease, or DBL_UNKNOWN */
	int64_t token, nonce;
	char session[33];
	int64_t expires, lease, lease_left; /* of a lease; left: DBL_UNKNOWN where clocks differ */
	int64_t beat, ttl, session_left;    /* of the holder's session */
	int64_t watch;                      /* us its revocation must be seen for; 0: it has none */
	char mark[DBL_MARK_CITATION];       /* of the holder's session: see base/mark.h, */
	enum dbl_mark_word word;            /* and what it said then */
	bool ahead;                         /* others wait before us, */
	bool behind_two;                    /* two of them, or more */
	char host[256];
	int64_t pid, thread;           /* 0: no thread is named; DBL_THREAD_OF_IDLE */
	struct dbl_clock_sample clock; /* the database's time, and ours before and after */
};

/* The connection to look by: the client's link, or a transaction that has the database alone. */
struct dbl_asker {
	struct dbl_link *link;
	struct dbl_db *db;       /* NULL: use the link */
	struct dbl_locks *locks; /* whose client asks; NULL: it declares nobody dead */
};

/* Runs a request that answers with the columns of `look`. One round trip. */
struct dbl_request;
int dbl_see(const struct dbl_asker *, struct dbl_request *, struct dbl_snapshot *,
	    struct dblock_error *err);

int dbl_look_by(const struct dbl_asker *, const char *name, const struct dbl_epoch *own,
		int64_t nonce, int64_t deadline, struct dbl_snapshot *, struct dblock_error *err);

/* Looks at a lock, as the one above. `own`: our session, or NULL; `nonce`: of our own wait, or 0.
 * One round trip. */
int dbl_look(struct dbl_link *, const char *name, const struct dbl_epoch *own, int64_t nonce,
	     int64_t deadline, struct dbl_snapshot *, struct dblock_error *err);

/* Somebody has the lock, alive or dead; a lease may have ended. */
static inline bool dbl_is_held(const struct dbl_snapshot *snapshot)
{
	return snapshot->held_by_session || snapshot->held_until;
}

/* The grant with this nonce has the lock, and its lease, if any, has not ended. */
bool dbl_holds(const struct dbl_snapshot *, int64_t nonce);

/* Asks for the mark of the holder's session, and notes what it says: true, the holder is dead. */
bool dbl_snapshot_ask(struct dbl_snapshot *, const struct dbl_env *);

/* Between two looks a call that waits asks for the marks of holders on this machine that live. */
enum { DBL_VIGIL_HINTS = 20, DBL_VIGIL_HINT_US = 500 };

struct dbl_vigil {
	int64_t at;    /* when it is to ask next */
	int64_t pause; /* that often; 0: never */
	int hints;     /* so many times in short succession, after a hint */
};

/* May the holder's mark say more than the look has? As long as our own process asks, that one lives. */
bool dbl_vigil_helps(const struct dbl_snapshot *, const struct dbl_host *own);

/* Somebody hints that it may have ended, which is so a moment before that can be seen. */
static inline void dbl_vigil_hint(struct dbl_vigil *vigil, int64_t now)
{
	vigil->hints = DBL_VIGIL_HINTS;
	vigil->at = now;
}

/* It is asked now. */
static inline void dbl_vigil_next(struct dbl_vigil *vigil, int64_t now)
{
	vigil->at = now + (vigil->hints > 0 ? DBL_VIGIL_HINT_US : vigil->pause);
	vigil->hints -= vigil->hints > 0;
}

/* n: of so many holders. */
void dbl_vigil_plan(struct dbl_vigil *, unsigned n, bool often, int64_t now);

/* What has been seen unchanged, and since when: the receipt of the first answer that showed it. */
struct dbl_watch {
	bool any;
	bool of_session;
	char session[33];
	int64_t beat, ttl;             /* if of_session; ttl 0: its row was deleted by hand */
	int64_t token, nonce, expires; /* if not */
	int64_t since;
	int64_t revoked; /* nonce of the grant that was seen revoked; 0: none */
	int64_t revoked_since;
};

/* Notes a snapshot; the watch starts anew where anything changed. */
void dbl_watch_note(struct dbl_watch *, const struct dbl_snapshot *);

enum dbl_action {
	DBL_WAIT,         /* the lock is held, and its holder may be alive */
	DBL_TAKE,         /* acquire should succeed now: free, dead, or ended */
	DBL_DECLARE_DEAD, /* declare the holder's session dead, then take the lock */
	DBL_END_LEASE,    /* end the lease, then take the lock */
	DBL_END_REVOKED,  /* it was revoked long enough ago: free it, then take the lock */
	DBL_OWN_IS_OVER   /* our own session is dead, or not the one of this database */
};

/* The action for a waiting call, or a cluster's vote, by what it has watched. */
enum dbl_action dbl_judge_watched(const struct dbl_snapshot *, const struct dbl_watch *,
				  int64_t now);

/* The action for a try, by the database's clock where that can be trusted. */
enum dbl_action dbl_judge_now(const struct dbl_snapshot *, bool clock_agrees);

/* Carries out DBL_DECLARE_DEAD, DBL_END_LEASE or DBL_END_REVOKED by one conditional statement. Look
 * again then: somebody else may have been faster, or the holder lives after all. */
int dbl_declare(const struct dbl_asker *, const char *name, const struct dbl_snapshot *,
		enum dbl_action, int64_t deadline, struct dblock_error *err);

/* Says in the message: "'x' is held by host h, pid 1 (token 2)" */
void dbl_snapshot_tell(const struct dbl_snapshot *, const char *name, struct dblock_error *err,
		       int code);

#endif
