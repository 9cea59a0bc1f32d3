/* SPDX-License-Identifier: MIT */
/* One acquire on its way: sent, settled where its answer was lost, accepted. Inside src/lock. */
#ifndef DBL_LOCK_ATTEMPT_H
#define DBL_LOCK_ATTEMPT_H

#include "lock/handle/lock.h"
#include "lock/queue/snapshot.h"

struct dbl_attempt {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	struct dblock_lock *lock; /* the handle-to-be */
	struct dbl_epoch *epoch;  /* a share: of the epoch that the grant would belong to */
	int64_t replaces;         /* nonce of a grant of ours whose place it takes; 0: of none */
	bool unsure;              /* an answer was lost: it may have been carried out once */
	bool waits;
	bool locked;   /* somebody's transaction had the row when it was tried last */
	int64_t until; /* the caller wants to be back by then */
	struct dbl_snapshot snapshot;
	struct dbl_watch watch;
	/* How to go for it, once a look has shown that it may be had; NULL: dbl_attempt_go(), also
	 * without a look. */
	int (*go)(struct dbl_attempt *, struct dblock_error *err);
	void *go_arg;
	bool over;           /* set by go: it is no use to look once more now */
	struct dbl_asker by; /* whom to ask what is seen */
};

/* As a try does: look, judge, go, until it is had or somebody else has it. try.c */
int dbl_try_rounds(struct dbl_attempt *, struct dblock_error *err);

/* Before each go: whatever comes of it can be given back, and there is a life for it. */
int dbl_attempt_make_ready(struct dbl_attempt *, int64_t by, struct dblock_error *err);

/* The arguments of `acquire` that say what is wanted, and by whom: its first nine. */
#define DBL_ATTEMPT_ARGS 9
void dbl_attempt_args(const struct dbl_attempt *, struct dbl_value args[DBL_ATTEMPT_ARGS]);

/* The handle is as the spec, in the attempt's life. */
void dbl_attempt_granted(struct dbl_attempt *, int64_t sent, int64_t lease);

/* With a handle-to-be. The wish must outlive it. */
int dbl_attempt_begin(struct dbl_attempt *, struct dbl_locks *, const struct dbl_acquire_spec *,
		      struct dblock_error *err);

/* Nothing came of it, or all of it is published. */
void dbl_attempt_drop(struct dbl_attempt *);

/* It was granted: the handle is out from now on. An upgrade gives its grant to the handle that is
 * out already, and has that one's in its own handle then: to be given back. */
struct dblock_lock *dbl_attempt_publish(struct dbl_attempt *);

/* Of what is sent now: a try has one timeout for all that it sends; to a wait that is nearly over,
 * or has just begun and is short, each gives what a request needs. */
int64_t dbl_attempt_deadline(const struct dbl_attempt *);

/* See that there is a share of the epoch that is going on. */
int dbl_attempt_live(struct dbl_attempt *, int64_t by, struct dblock_error *err);

/* The database says that the epoch which it asks by is over. */
void dbl_attempt_own_is_over(const struct dbl_attempt *);

/* One go. 0: granted and of use; DBLOCK_BUSY: not free, or its row is locked. All of it has one
 * deadline: a lost answer is settled in what is left of it, or with a heartbeat. */
int dbl_attempt_go(struct dbl_attempt *, struct dblock_error *err);

/* The grant that the handle's token and nonce name is ours in the database; is it still of use
 * here? Its lease, if it has one, is still to last for `lease` from `sent` on. If not: DBLOCK_LOST,
 * and it is given back. */
int dbl_attempt_accept(struct dbl_attempt *, int64_t sent, int64_t lease, struct dblock_error *err);

#endif
