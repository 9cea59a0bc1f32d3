/* SPDX-License-Identifier: MIT */
/* One acquire on its way: sent, resolved where its answer was lost, accepted. Inside src/lock. */
#ifndef DBL_LOCK_ATTEMPT_H
#define DBL_LOCK_ATTEMPT_H

#include "lock/handle/lock.h"
#include "lock/queue/snapshot.h"

enum { DBL_ATTEMPT_MORE = 3 };

struct dbl_attempt {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	struct dblock_lock *lock; /* the handle that a success gives to the caller */
	struct dbl_epoch *epoch;  /* a share of the epoch that the grant will belong to */
	int64_t replaces;         /* nonce of our own grant that this one replaces; 0: none */
	bool unsure;              /* an answer was lost: it may have been granted once */
	bool waits;
	bool by_watch; /* a try judges a holder by `watch`, too, not by the database's clock */
	bool locked;   /* the row was locked by somebody's transaction at the last try */
	int64_t until; /* when the caller wants to be back */
	struct dbl_snapshot snapshot;
	struct dbl_watch watch;
	/* Acquires the lock, once a look has shown that it may be free; NULL: dbl_attempt_go(),
	 * also without a look. */
	int (*go)(struct dbl_attempt *, struct dblock_error *err);
	void *go_arg;
	bool over;      /* set by `go`: another look is of no use now */
	enum dbl_op op; /* acquire, or one that takes the same arguments, and these: */
	struct dbl_value more[DBL_ATTEMPT_MORE];
	struct dbl_asker by; /* the connection to look by */
	/* At the last doubt, of this epoch: its beat, and how many connections had been lost. */
	int64_t doubted_beat, doubted_losses;
};

/* The rounds of a try: look, judge, acquire, until it is granted or somebody else has it. try.c */
int dbl_try_rounds(struct dbl_attempt *, struct dblock_error *err);

/* Before each request that may be granted: there has to be a live epoch, and a cleanup for it. */
int dbl_attempt_make_ready(struct dbl_attempt *, int64_t by, struct dblock_error *err);

/* The first nine arguments of `acquire`, which say what is wanted, and by whom. */
#define DBL_ATTEMPT_ARGS 9
void dbl_attempt_args(const struct dbl_attempt *, struct dbl_value args[DBL_ATTEMPT_ARGS]);

/* A request `acquire` of an attempt that is ready, and its answer. Several can be under way at once. */
struct dbl_acquiring {
	struct dbl_value args[DBL_ATTEMPT_ARGS + 3 + DBL_ATTEMPT_MORE];
	struct dbl_request request;
	int64_t token;
	int64_t sent; /* a time before it was */
};

/* Draws the grant's nonce. False: no random numbers, so it cannot be sent. */
bool dbl_attempt_ask(struct dbl_attempt *, struct dbl_acquiring *, int64_t by);

/* What came of it; `rc` is the link's. 0: granted, to be accepted; DBLOCK_BUSY: the lock is not free, or
 * its row is locked. */
int dbl_attempt_heard(struct dbl_attempt *, const struct dbl_acquiring *, int rc,
		      struct dblock_error *err);

/* After DBLOCK_E_UNSURE: what was granted, or may still be, is given back. 0: certainly nothing is held
 * now. */
int dbl_attempt_resolve(struct dbl_attempt *, int64_t by, struct dblock_error *err);

/* Fills in the handle's grant by the spec, in the attempt's epoch. */
void dbl_attempt_granted(struct dbl_attempt *, int64_t sent, int64_t lease);

/* Makes the handle. The spec must outlive the attempt. */
int dbl_attempt_begin(struct dbl_attempt *, struct dbl_locks *, const struct dbl_acquire_spec *,
		      struct dblock_error *err);

/* Frees what the attempt still has: also its handle, unless that was published. */
void dbl_attempt_drop(struct dbl_attempt *);

/* Publishes the handle, since the lock was granted. An upgrade swaps grants with the handle that is
 * published already: the old grant is then the attempt's own handle's, to be given back. */
struct dblock_lock *dbl_attempt_publish(struct dbl_attempt *);

/* The deadline of a request that is sent now. All requests of a try share one timeout; each request
 * of a wait gets at least what a request needs, even if the wait is nearly over. */
int64_t dbl_attempt_deadline(const struct dbl_attempt *);

/* Takes a share of the session's present epoch, unless the attempt's epoch is still valid. */
int dbl_attempt_live(struct dbl_attempt *, int64_t by, struct dblock_error *err);

/* The database does not know our session, or not its last beat, or says that it is dead. That may be
 * so; or the connection leads to another server than the heartbeats do. This asks for a heartbeat,
 * which tells, and lets a few ms pass; if heartbeats get through meanwhile, it gives the connection
 * up. Try again then. */
void dbl_attempt_doubt(struct dbl_attempt *);

/* Tries once. 0: granted, and of use; DBLOCK_BUSY: not free, or its row is locked. All requests
 * have one deadline: a lost answer is resolved before it, or with a heartbeat. */
int dbl_attempt_go(struct dbl_attempt *, struct dblock_error *err);

/* The database has granted the lock to the handle's token and nonce: is the grant still of use? A
 * lease counts for `lease` from `sent` on. If not: DBLOCK_LOST, and it is given back. */
int dbl_attempt_accept(struct dbl_attempt *, int64_t sent, int64_t lease, struct dblock_error *err);

#endif
