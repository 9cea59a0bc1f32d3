/* SPDX-License-Identifier: MIT */
/* What is asked of an acquire, and by whom. Inside src/lock. */
#ifndef DBL_LOCK_CORE_ACQUIRE_SPEC_H
#define DBL_LOCK_CORE_ACQUIRE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include <dblock/lock.h>

struct dblock_request;
struct dblock_waiting;

/* Who may re-enter: a thread, by an id that is never used again, or whoever names this owner. */
struct dbl_owner {
	bool by_name;
	uint64_t id;
};

/* What to ask of an acquire. Strings are borrowed. */
struct dbl_acquire_spec {
	const char *name;
	uint64_t hash;     /* of the name: dbl_spec_hash(); 0: not made yet */
	const char *value; /* or NULL */
	int64_t lease;     /* us; 0: lives with the session */
	int64_t idle;      /* us; it is kept for so long after its release; 0: it is not */
	int64_t at_least;  /* us; 0: none */
	bool barge;        /* also if others wait in the queue */
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
	int64_t try_until;      /* a try that is in the queue for a moment: until then its requests
				   * may
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

struct dbl_locks;
struct dblock_error;

/* dbl_lock_try, dbl_lock_wait, or what does a part of these. */
typedef int dbl_acquire_fn(struct dbl_locks *, const struct dbl_acquire_spec *,
			   struct dblock_lock **, struct dblock_error *);

#endif
