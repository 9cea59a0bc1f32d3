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

/* How a handle stands with a transaction of the caller's: see tx/in_tx.h. */
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
struct dbl_numbers;

/* What the database has granted: an upgrade swaps this as a whole, and a thread that passes its
 * lock on gives this as a whole. */
struct dbl_grant {
	_Atomic int64_t token;       /* an upgrade changes it */
	_Atomic int64_t row_token;   /* the row's, if larger than `token`: see local.h */
	_Atomic int64_t nonce;       /* drawn anew for each request that may be granted */
	struct dbl_epoch *epoch;     /* the epoch it was granted in; a lease outlives it */
	struct dbl_cleanup *cleanup; /* notes what may be left behind in the database */
	enum dblock_mode mode;
	int64_t weight, capacity;  /* of permits */
	struct dbl_validity lease; /* the deadline, if has_lease */
	bool has_lease;
	bool rests;     /* it has a minimum hold */
	bool handed;    /* it came through the queue, in which others may wait, */
	int64_t ticket; /* by this ticket; 0: not known */
	const struct dbl_carrier *carrier; /* kind of row: the lock's own, or of the queue */
};

/* src/lock/cache's alone: the release that nobody waits for (posted.h), turns of this client's
 * threads (local.h), and the grant while it is idle (sticky.h). */
struct dbl_cached {
	struct dbl_post post;
	struct dbl_value post_args[3];
	struct dbl_entry *entry; /* NULL: the grant is released where it was acquired */
	atomic_bool unnamed;     /* the row names no thread */
	bool alone;              /* the grant is not passed on to other threads */
	bool unsure;             /* it is not known what the row says: give the grant back */
	bool shown_idle;         /* the row says that it may be idle: others may ask for it */
	int64_t losses;          /* number of connections lost when the row was written so */
	/* Under locks->mutex: */
	int64_t idle_for;    /* us that it stays idle, or 0; only its holder's */
	int64_t idle_tokens; /* tokens in the last block */
	int64_t idle_until;
	atomic_bool idle; /* also read under the entry's mutex */
	struct dblock_lock *idle_next, **idle_before;
};

/* src/lock/watch's alone, under locks->mutex: requests to let go, for the holder (requested.h). */
struct dbl_watched {
	struct dbl_requester *requester; /* what the holder is yet to be told; or NULL */
	int64_t told_for;                /* the grant's token, once its holder has been told */
};

/* src/lock/tx's alone, under locks->mutex: the row of the queue that carries the grant. */
struct dbl_attached_row {
	int64_t ticket;
	int64_t ticket_nonce; /* nonce for which the ticket is known; 0: for none */
	bool left; /* fenced in a transaction that a recovery finishes, as long as the row is locked */
};

/* A handle: a grant, who has it, and what each module needs of it. */
struct dblock_lock {
	struct dbl_locks *locks;
	struct dblock_lock *next, **before; /* published handles; not published: before is NULL */
	struct dblock_lock *next_of_name;   /* in its chain of the table */
	struct dblock_lock *whole;          /* itself, or the published handle it belongs to */
	struct dblock_lock *all_next, *all_prev; /* among all handles */
	uint64_t serial;                         /* larger than that of any older handle */
	const char *name;                        /* behind the struct, in the same memory */
	uint64_t hash;                           /* of the name */
	struct dbl_grant grant;
	struct dbl_sm state;
	_Atomic int64_t nonce_to_come; /* nonce of the row to which a downgrade moves the grant */
	_Atomic bool changing;         /* an up- or downgrade is changing row or nonce */
	struct dbl_owner owner;
	/* When its caller got it, on env->now(); 0: it is no caller's; negative: the caller has given
	 * it back. */
	_Atomic int64_t since;
	int64_t count;         /* acquires not yet released; under locks->mutex, as all below */
	int64_t count_written; /* the count that the row shows */
	/* The handles of a handle of several names, one for each; these are not published. */
	struct dblock_lock **parts;
	unsigned n_parts;
	bool given; /* a worker is to release it (begun.h): nobody enters it, or is told of it */
	atomic_uint n_extensions; /* that a worker is to make; it is not freed before */
	bool extending;           /* a thread extends the lease, one at a time */
	int64_t least_unsure;     /* us; shortest lease that a lost request may still set */
	/* Whom to tell what: */
	void (*lost)(void *arg, struct dblock_lock *);
	void *lost_arg;
	void (*requested)(void *arg, struct dblock_lock *, const struct dblock_release_request *);
	void *requested_arg;
	int lost_fd, requested_fd;     /* -1: nobody asked for one */
	bool told;                     /* the holder has been told of the loss, or need not be */
	bool loss_noted;               /* it is on its way to dblock_event, or need not be */
	_Atomic int64_t requested_for; /* its token, once we heard that somebody asks for it */
	/* Why the grant was lost: loss.h. */
	atomic_int cause;            /* enum dblock_loss_cause; none: ask the validity */
	struct dbl_breaker *breaker; /* who took the grant away; NULL: nobody, or not known */
	_Atomic int64_t lost_at;     /* when it was lost; on env->now() */
	_Atomic int in_tx;           /* enum dbl_in_tx */
	bool noted;                  /* watch or tx refers to it, and is told when it is freed */
	char slot[DBL_SLOT_MAX + 1]; /* job to be done once: see once.h; "": none */
	struct dbl_cached cached;
	struct dbl_watched watched;
	struct dbl_attached_row attached_row;
	_Atomic(struct dbl_numbers *) numbers; /* src/lock/grant/permit.c's; NULL: it has none */
};

/* A row of the queue carries the grant, and not the lock's own row. */
static inline bool dbl_has_queue_row(const struct dblock_lock *lock)
{
	return lock->grant.carrier == &dbl_queue_row_carrier;
}

/* The token by which the database knows the grant: see local.h. */
static inline int64_t dbl_row_token(const struct dblock_lock *lock)
{
	return lock->grant.row_token > lock->grant.token ? lock->grant.row_token
							 : lock->grant.token;
}

/* The validity of the grant: that of its lease, or of its epoch. */
struct dbl_validity *dbl_lock_validity(struct dblock_lock *);

/* A descriptor, owned by the handle, that is readable once the lock is lost; -1: none to be had. */
int dbl_lock_lost_fd(struct dblock_lock *);

#endif
