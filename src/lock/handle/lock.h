/* SPDX-License-Identifier: MIT */
/* The public handle: one grant. Inside src/lock. */
#ifndef DBL_LOCK_HANDLE_LOCK_H
#define DBL_LOCK_HANDLE_LOCK_H

#include "lock/core/acquire_spec.h"
#include "lock/core/context.h"
#include "lock/core/name.h"
#include "lock/handle/carrier.h"
#include "lock/handle/state.h"
#include <dblock/loss.h>

/* Where it stands with a transaction of the caller's: see tx/in_tx.h. */
enum dbl_in_tx {
	DBL_IN_TX_NOT,
	DBL_IN_TX_RELEASING,
	DBL_IN_TX_RELEASED,
	DBL_IN_TX_RELEASED_PERHAPS,
	DBL_IN_TX_ACQUIRING,
	DBL_IN_TX_NOT_ACQUIRED
};

struct dbl_requester;
struct dbl_breaker;
struct dbl_entry;

/* What the database has granted: an upgrade swaps it as one, and a thread that passes its lock on
 * gives it as one. */
struct dbl_grant {
	_Atomic int64_t token;       /* changes with an upgrade */
	_Atomic int64_t row_token;   /* larger than token: of the row that carries it (local.h) */
	_Atomic int64_t nonce;       /* drawn before each request that may be granted */
	struct dbl_epoch *epoch;     /* that it was granted in; a lease does not depend on it */
	struct dbl_cleanup *cleanup; /* to note what may be left behind in the database */
	enum dblock_mode mode;
	int64_t weight, capacity;  /* of permits */
	struct dbl_validity lease; /* if has_lease */
	bool has_lease;
	bool rests;                        /* it has a minimum hold */
	bool handed;                       /* it came from the queue, in which others may wait */
	const struct dbl_carrier *carrier; /* the lock's own row, or one of the queue */
};

/* Its release, where nobody waits for that (posted.h); turns within one client (local.h); kept
 * after its release (sticky.h). src/lock/cache's alone. */
struct dbl_cached {
	struct dbl_post post;
	struct dbl_value post_args[3];
	struct dbl_entry *entry; /* NULL: it is released where it was acquired */
	atomic_bool unnamed;     /* its row names no thread */
	bool alone;              /* not to be passed on */
	bool unsure;             /* of what its row says, and given back for that */
	bool shown_idle;         /* its row says that it may be idle: it can be asked for */
	int64_t losses;          /* of connections, when its row was made so */
	/* Under locks->mutex: */
	int64_t idle_for;    /* us; 0: it is not to be kept. The holder's alone */
	int64_t idle_tokens; /* that were asked for last */
	int64_t idle_until;
	atomic_bool idle; /* it is; also read under its entry's mutex */
	struct dblock_lock *idle_next, **idle_before;
};

/* What its holder has to be told of requests: requested.h. Under locks->mutex; src/lock/watch's
 * alone. */
struct dbl_watched {
	struct dbl_requester *requester; /* what the holder has yet to be told; NULL: nothing */
	int64_t told_for;                /* its token when it was told */
};

/* The row of the queue that carries it: attachment_row.c. Under locks->mutex; src/lock/tx's alone.
 */
struct dbl_attached_row {
	int64_t ticket;
	int64_t ticket_nonce; /* if it is that of this grant; 0: it is not known */
};

/* A grant, who has it, and what each module keeps of it. */
struct dblock_lock {
	struct dbl_locks *locks;
	struct dblock_lock *next, **before; /* of those that are out */
	struct dblock_lock *next_of_name;   /* in its table; so is each part: */
	struct dblock_lock *whole;          /* the handle that is out; itself, or it is a part */
	struct dblock_lock *all_next, *all_prev; /* of all that there are */
	uint64_t serial;                         /* grows from handle to handle */
	const char *name;                        /* stands behind the struct */
	uint64_t hash;                           /* of its name */
	struct dbl_grant grant;
	struct dbl_sm state;
	_Atomic int64_t nonce_to_come; /* of the row to which a downgrade moves it */
	_Atomic bool changing;         /* its row, or its nonce: up- and downgrades */
	struct dbl_owner owner;
	int64_t count;         /* acquires not yet released; under locks->mutex, as what follows */
	int64_t count_written; /* what the row says */
	/* Of several names, held by one handle: each has one of its own, which is not out. */
	struct dblock_lock **parts;
	unsigned n_parts;
	bool extending;       /* one extension at a time, which guards */
	int64_t least_unsure; /* us; the shortest that may still be carried out, late */
	/* Whom to tell: */
	void (*lost)(void *arg, struct dblock_lock *);
	void *lost_arg;
	void (*requested)(void *arg, struct dblock_lock *, const struct dblock_request *);
	void *requested_arg;
	int lost_fd, requested_fd;     /* -1: nobody asked for one */
	bool told;                     /* the holder has been told that it is lost */
	_Atomic int64_t requested_for; /* its token when we heard that somebody asks for it */
	/* Why it was lost: loss.h. */
	atomic_int cause;            /* enum dblock_loss_cause, unless its term says why */
	struct dbl_breaker *breaker; /* who took it away; NULL: nobody, or it is not known */
	_Atomic int64_t lost_at;     /* then; on env->now() */
	_Atomic int in_tx;           /* enum dbl_in_tx */
	bool noted;                  /* watch or tx has a note of it: told when it is freed */
	char slot[DBL_SLOT_MAX + 1]; /* of a job that is done once: see once.h; "": it is none */
	struct dbl_cached cached;
	struct dbl_watched watched;
	struct dbl_attached_row attached_row;
};

/* A row of the queue carries it, and not the lock's own. */
static inline bool dbl_has_queue_row(const struct dblock_lock *lock)
{
	return lock->grant.carrier == &dbl_queue_row_carrier;
}

/* By which the database knows its grant: see local.h. */
static inline int64_t dbl_row_token(const struct dblock_lock *lock)
{
	return lock->grant.row_token > lock->grant.token ? lock->grant.row_token
							 : lock->grant.token;
}

/* What it lives by: its own lease, or its session's epoch. */
struct dbl_validity *dbl_lock_validity(struct dblock_lock *);

/* A descriptor that is readable once the lock is lost; -1: none to be had. The handle's. */
int dbl_lock_lost_fd(struct dblock_lock *);

#endif
