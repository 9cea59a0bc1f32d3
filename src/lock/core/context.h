/* SPDX-License-Identifier: MIT */
/* The locks of one client: its work connection, its session, and the handles that are out. */
#ifndef DBL_LOCK_LOCKS_H
#define DBL_LOCK_LOCKS_H

#include <dblock/lock.h>

#include "base/bell.h"
#include "base/thread.h"
#include "base/turn.h"
#include "link/link.h"
#include "lock/core/expect.h"
#include "lock/core/name.h"
#include "lock/handle/held.h"
#include "lock/handle/spare.h"
#include "lock/handle/state.h"
#include "session/session.h"

/* Who may re-enter: a thread, by an id that is never used again, or whoever names this owner. */
struct dbl_owner {
	bool by_name;
	uint64_t id;
};

struct dbl_asked;
struct dbl_breaker;
struct dbl_local;
struct dbl_segment;
struct dbl_posted;
struct dbl_revocation;
struct dbl_stake;
struct dbl_steward;
struct dblock_request;

/* The public handle: one grant. */
struct dblock_lock {
	struct dbl_locks *locks;
	struct dblock_lock *next, **before; /* in locks->held */
	struct dblock_lock *next_of_name;   /* in its table; so is each part: */
	struct dblock_lock *whole; /* the handle that is out; itself, or it is a part of it */
	struct dblock_lock *all_next, *all_prev; /* in locks->all */
	uint64_t serial;                         /* grows from handle to handle */
	char *name;
	size_t room;                   /* for a name */
	_Atomic int64_t token;         /* changes with an upgrade */
	_Atomic int64_t nonce;         /* drawn before each request that may be granted */
	_Atomic int64_t nonce_to_come; /* of the row to which a downgrade moves it */
	_Atomic bool changing;         /* its row, or its nonce: up- and downgrades */
	struct dbl_owner owner;
	struct dbl_sm state;
	struct dbl_life *life; /* that it was granted in; a lease does not depend on it */
	struct dbl_debt *debt; /* to note what may be left behind in the database */
	bool has_lease;
	bool handed; /* it came from the line, in which others may wait */
	bool rests;  /* it has a minimum hold */
	bool by_row; /* a row of the line carries it, not the lock's own */
	enum dblock_mode mode;
	int64_t weight, capacity;  /* of permits */
	struct dbl_term lease;     /* if has_lease */
	struct dbl_turn extending; /* one extension at a time: guards */
	int64_t least_unsure;      /* us; the shortest that may still be carried out, late */
	void (*lost)(void *arg, struct dblock_lock *);
	void *lost_arg;
	void (*requested)(void *arg, struct dblock_lock *, const struct dblock_request *);
	void *requested_arg;
	_Atomic int64_t requested_for; /* its token when we heard that somebody asks for it; an
					  upgrade is another grant */
	/* Under locks->mutex: */
	int64_t count;         /* acquires not yet released */
	int64_t count_written; /* what the row says */
	int lost_fd;           /* -1: nobody asked for one */
	int64_t ticket;        /* by_row: of the row */
	int64_t ticket_nonce;  /* if it is that of this grant; 0: it is not known */
	/* Of several names, held by one handle: each has one of its own, which is not out. */
	struct dblock_lock **parts;
	unsigned n_parts;
	bool told;                   /* the holder has been told that it is lost */
	atomic_int cause;            /* enum dblock_loss_cause, unless its term says why: loss.h */
	struct dbl_breaker *breaker; /* who took it away; NULL: nobody, or it is not known */
	_Atomic int64_t lost_at;     /* then; on env->now() */
	_Atomic int within;          /* a transaction of the caller's: see within.h */
	char slot[DBL_SLOT_MAX + 1]; /* of a job that is done once: see once.h; "": it is none */
	/* Likewise, of being asked to let go: */
	struct dbl_asked *asked; /* what the holder has yet to be told; NULL: nothing */
	int64_t told_for;        /* its token when it was told */
	int requested_fd;        /* -1: nobody asked for one */
	/* Its release, where nobody waits for that: see posted.h. */
	struct dbl_post post;
	struct dbl_value post_args[3];
	/* Of turns within one client: see local.h. */
	struct dbl_segment *segment; /* NULL: it is released where it was acquired */
	_Atomic int64_t row_token;   /* larger than token: of the row that carries it */
	atomic_bool unnamed;         /* which names no thread */
	bool alone;                  /* not to be passed on */
	bool unsure;                 /* of what its row says, and given back for that */
	bool asked_for;              /* its row says that it may be idle: it can be asked for */
	int64_t losses;              /* of connections, when its row was made so */
	/* Kept after its release: see sticky.h. Under locks->mutex: */
	int64_t idle_for;    /* us; 0: it is not to be kept. The holder's alone */
	int64_t idle_tokens; /* that were asked for last */
	int64_t idle_until;
	atomic_bool idle; /* it is; also read under its segment's mutex */
	struct dblock_lock *idle_next, **idle_before;
};

/* Sessions that look dead, as the reaper has seen them: see suspect.c. */
struct dbl_suspects {
	struct dbl_item *items;
	size_t n, room;
};

struct dbl_waiter;
struct dbl_doorbell;
struct dbl_flight;
struct dblock_waiting;

struct dbl_locks {
	const struct dbl_target *target;
	const struct dbl_env *env;
	struct dbl_link *link; /* for requests */
	struct dbl_link
		*steady; /* for what is durable though the client is relaxed; NULL: it is not */
	struct dbl_session *session;
	int64_t timeout;       /* us: bound of one request */
	_Atomic int64_t until; /* no request goes on past it: set while closing */
	atomic_bool shut;      /* nobody waits any more: see shutdown.h */
	atomic_uint inside;    /* calls that are under way, and may wait */
	struct dbl_thread sentinel;
	uint64_t sentinel_id;
	struct dbl_mutex mutex; /* guards what follows, and what its handles say */
	struct dbl_spare spare;
	struct dblock_lock
		*all; /* that there are: also those not granted yet, and being released */
	struct dbl_held held;
	struct dblock_lock
		*coming;          /* acquired in transactions that are not known to be committed */
	struct dbl_stake *stakes; /* what locks have at stake in transactions: see stake.h */
	struct dbl_cond news;     /* for the sentinel, */
	int64_t sentinel_until;   /* which sleeps until then; 0: it is awake, or woken */
	int64_t sentinel_next;    /* the end of what it was woken for last */
	struct dbl_cond told;     /* a callback has returned */
	struct dblock_lock *telling; /* whose callback is running */
	int64_t rung_early;          /* somebody asks for a token that we do not know (yet) */
	bool closing;
	/* How waiting calls are woken: see bells.h. */
	unsigned wake_off; /* DBLOCK_WAKE_*: ways not to be used; set right after opening */
	struct dbl_waiter *waiting;
	struct dblock_wait *driven; /* those that their callers drive */
	struct dbl_bell *bell;      /* NULL: there is none (yet) */
	bool bell_tried;
	struct dbl_thread listener;
	struct dbl_doorbell *doorbell; /* likewise */
	bool doorbell_tried;
	struct dbl_flight *flights;   /* of results that threads of this client ask for */
	struct dbl_expected expected; /* names that others have been handed */
	struct dbl_posted *posted;    /* releases that nobody waits for; NULL: all are waited for */
	atomic_bool served;           /* a wait came to its end: its row is still there */
	/* See reconcile.c; but for serials the keeper's alone: */
	bool unreconciled;
	int64_t losses;          /* of connections, as noticed last */
	uint64_t serial_at_loss; /* of the youngest handle then */
	uint64_t serial;         /* of the youngest handle */
	_Atomic int64_t feigned; /* of which so many were none */
	_Atomic int64_t passes;  /* so often has it been done */
	atomic_bool asked; /* somebody may have asked us to let go, or need not any more: look */
	struct dbl_revocation *revoked; /* what others took away of ours: see revoked.h */
	atomic_bool revoked_released;   /* what was lost by that has been given back: look */
	struct dbl_local *local;        /* threads that wait for threads of ours: see local.h */
	unsigned local_turns;           /* 0: none is passed on; set right after opening */
	struct dbl_steward
		*steward; /* of what is kept idle: see sticky.h; NULL: nothing ever was */
	atomic_uint n_idle;
	int64_t ttl;                  /* us: of our session */
	struct dbl_suspects suspects; /* under the mutex */
};

/* Open the session on a work connection that is there; the link is the locks' from now on, also on
 * failure. Its target must outlive it. */
int dbl_locks_open(struct dbl_locks **, struct dbl_link *, const struct dbl_session_options *,
		   int64_t deadline, struct dblock_error *err);

/* Only to look: without a session, and without any thread. The link likewise. */
int dbl_locks_observe(struct dbl_locks **, struct dbl_link *, int64_t timeout,
		      struct dblock_error *err);

/* Release what lives by the session, leave leases, end the session; frees every handle. Takes at
 * most the timeout for all of it; what could not be delivered by then ends with the session. */
void dbl_locks_close(struct dbl_locks *);

/* now + timeout: the deadline of a request sent now. */
int64_t dbl_locks_deadline(const struct dbl_locks *);

/* The same for a caller who wants to be back by `until`: not much later than that. On SQLite a
 * request may wait for the file until its deadline. */
int64_t dbl_locks_deadline_by(const struct dbl_locks *, int64_t until);

/* What to ask of an acquire. Strings are borrowed. */
struct dbl_wish {
	const char *name;
	const char *value; /* or NULL */
	int64_t lease;     /* us; 0: lives with the session */
	int64_t idle;      /* us; it is kept for so long after its release; 0: it is not */
	int64_t at_least;  /* us; 0: none */
	bool barge;        /* also if others wait in line */
	enum dblock_mode mode;
	int64_t weight, capacity;      /* of permits */
	struct dblock_lock *upgrading; /* our own handle whose grant it is to replace, or NULL */
	int64_t upgrades;              /* that grant's nonce; 0: none */
	int64_t names;                 /* it is one of so many that are wanted together; 0: alone */
	int64_t since;          /* it has waited since then, in another place; 0: it has not */
	bool blocks;            /* the thread does nothing else meanwhile, and has no lease */
	int64_t deadlock_after; /* us: for which it waits before it suspects one; 0: it never does
				 */
	bool tries;             /* it does not wait: DBLOCK_BUSY */
	int64_t wait_until;     /* on env->now(); DBL_NEVER: wait for ever; unused by a try */
	int64_t try_until;      /* a try that is in line for a moment: until then its requests may
				   wait for what is locked; else 0 */
	uint64_t owner;         /* 0: the calling thread */
	int (*canceled)(void *arg);
	void *canceled_arg;
	void (*lost)(void *arg, struct dblock_lock *);
	void *lost_arg;
	void (*waiting)(void *arg, const struct dblock_waiting *); /* or NULL */
	void *waiting_arg;
	int64_t waiting_every; /* us */
	void (*requested)(void *arg, struct dblock_lock *, const struct dblock_request *);
	void *requested_arg;
};

int dbl_lock_try(struct dbl_locks *, const struct dbl_wish *, struct dblock_lock **,
		 struct dblock_error *err);
int dbl_lock_wait(struct dbl_locks *, const struct dbl_wish *, struct dblock_lock **,
		  struct dblock_error *err);
int dbl_lock_release(struct dblock_lock *, struct dblock_error *err);

/* A handle that is not out, but has a grant: give that back, */
void dbl_lock_take_back(struct dblock_lock *);

/* and free it. */
void dbl_lock_forgo(struct dblock_lock *);
int dbl_lock_extend(struct dblock_lock *, int64_t lease, struct dblock_error *err);

/* What others read. DBLOCK_LOST: it does not hold the lock any more. */
int dbl_lock_set_value(struct dblock_lock *, const char *value, struct dblock_error *err);

/* By which the database knows its grant: see local.h. */
static inline int64_t dbl_row_token(const struct dblock_lock *lock)
{
	return lock->row_token > lock->token ? lock->row_token : lock->token;
}

/* What it lives by: its own lease, or its session's life. */
struct dbl_term *dbl_lock_term(struct dblock_lock *);

/* A descriptor that is readable once the lock is lost; -1: none to be had. The handle's. */
int dbl_lock_lost_fd(struct dblock_lock *);

/* By name and token, from anywhere. */
int dbl_grant_release(struct dbl_locks *, const char *name, int64_t token,
		      struct dblock_error *err); /* its holder is told, and waited for: revoke.h */
int dbl_grant_extend(struct dbl_locks *, const char *name, int64_t token, int64_t lease,
		     struct dblock_error *err);

#endif
