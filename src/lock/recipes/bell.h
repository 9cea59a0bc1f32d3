/* SPDX-License-Identifier: MIT */
/*
 * A bell: a thread sleeps until another one, anywhere, says that there is something to look for. Who sleeps holds a lock
 * of the bell's name, shared with all others who do, and its value says where he is to be told; who rings reads these. So
 * who has died is gone by itself, and `dblock ls` shows who is there. A ring that is lost costs time only.
 */
#ifndef DBL_LOCK_BELL_H
#define DBL_LOCK_BELL_H

#include "link/tx.h"
#include "lock/handle/lock.h"
#include "lock/notify/notifier.h"

struct dbl_bell {
	struct dbl_locks *locks;
	const char *name; /* of the lock; the caller's */
	struct dbl_waiter waiter;
	struct dblock_lock *lock; /* NULL: not held just now */
};

/* One thread uses it. Not 0: no memory; it need not be taken down then. */
int dbl_bell_hang(struct dbl_bell *, struct dbl_locks *, const char *name,
		  struct dblock_error *err);
void dbl_bell_take_down(struct dbl_bell *);

/* What its lock's value is to be, so that it is told. */
#define DBL_BELL_VALUE_MAX (DBL_WAKE_ADDRESS_MAX + 32)
void dbl_bell_value(struct dbl_bell *, char value[DBL_BELL_VALUE_MAX]);

/* Was it rung since the last time? For who has got its lock himself, and sees to it: a value may begin with a number and
 * `#`, and then be as above. */
bool dbl_bell_heard(struct dbl_bell *);

/* Hear what is rung from now on. True: it was rung since the last time, or may have been. No round trip while its lock is
 * held; else two: where that fails nothing is heard. */
bool dbl_bell_attend(struct dbl_bell *);

/* Sleep until then, or until it was rung since dbl_bell_attend(), or its lock is lost, so that it is to be attended again:
 * true. The spec's `canceled` is asked meanwhile; that it is canceled ends the sleep. */
bool dbl_bell_sleep(struct dbl_bell *, int64_t until, const struct dbl_acquire_spec *);

/* Ring. One round trip, one more for each that no datagram reaches. */
int dbl_bell_ring(struct dbl_locks *, const char *name, struct dblock_error *err);

/* Ring once the transaction has committed, if that is told. False: no memory. */
bool dbl_bell_ring_after(struct dblock_tx *, struct dbl_locks *, const char *name);

#endif
