/* SPDX-License-Identifier: MIT */
/* What a caller asks of an acquire, and who the caller is. Inside src/lock. */
#ifndef DBL_LOCK_CORE_ACQUIRE_SPEC_H
#define DBL_LOCK_CORE_ACQUIRE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include <dblock/lock.h>

struct dblock_release_request;
struct dblock_waiting;

/* The owner may enter the lock again: a thread, by an id that is never used again, or whoever names
 * this owner. A wait in steps that names none is an owner of its own, which nobody else ever is. */
enum dbl_owner_kind { DBL_OWNER_THREAD, DBL_OWNER_NAMED, DBL_OWNER_WAIT };

struct dbl_owner {
	enum dbl_owner_kind kind;
	uint64_t id; /* of its kind; 0: of a handle nobody's, of a spec the calling thread */
};

static inline struct dbl_owner dbl_owner_named(uint64_t id)
{
	return (struct dbl_owner){.kind = id ? DBL_OWNER_NAMED : DBL_OWNER_THREAD, .id = id};
}

static inline bool dbl_is_same_owner(struct dbl_owner one, struct dbl_owner other)
{
	return one.kind == other.kind && one.id == other.id;
}

/* All that is asked of one acquire. Strings are borrowed. */
struct dbl_acquire_spec {
	const char *name;
	uint64_t hash;     /* of the name, by dbl_spec_hash(); 0: not computed yet */
	const char *value; /* to be shown with the grant, or NULL */
	int64_t lease;     /* us; 0: the grant lives with the session */
	int64_t idle;      /* us that the grant stays idle after its release, or 0 */
	int64_t at_least;  /* us of minimum hold, or 0 */
	int64_t settle;    /* us that the session does not count as dead after its process's end */
	bool unfair;       /* take the lock even if others wait in the queue */
	enum dblock_mode mode;
	int64_t weight, capacity;      /* of permits; or DBLOCK_CAPACITY_STORED */
	bool numbered;                 /* say which permits: see permit.h */
	struct dblock_lock *upgrading; /* our own handle whose grant is to be replaced, or NULL */
	int64_t upgrades;              /* nonce of the grant that is to be replaced; 0: none */
	int64_t names;                 /* how many are wanted together; below 0: of so many any one;
					  0: only this one */
	int64_t since;                 /* when the call began to wait in memory; 0: it did not */
	int priority;                  /* of the wait: see rank.h */
	bool intends;           /* an intention on a node of a tree: who has one may have another */
	bool blocks;            /* the thread does nothing else meanwhile, and there is no lease */
	int64_t deadlock_after; /* us of waiting before a deadlock is suspected; 0: never */
	bool tries;             /* the call does not wait, but returns DBLOCK_BUSY */
	bool asks_only; /* and judges no holder: a part of a call that waits does so by watching it */
	int64_t wait_until; /* on env->now(); DBL_NEVER: for ever; unused by a try */
	int64_t try_until;  /* until then a try's requests may wait for locked rows; or 0 */
	struct dbl_owner owner;
	int (*canceled)(void *arg);
	void *canceled_arg;
	void (*lost)(void *arg, struct dblock_lock *);
	void *lost_arg;
	void (*waiting)(void *arg, const struct dblock_waiting *); /* or NULL */
	void *waiting_arg;
	int64_t waiting_every;                                   /* us */
	void (*trouble)(void *arg, const struct dblock_error *); /* the database failed; or NULL */
	void *trouble_arg;
	void (*requested)(void *arg, struct dblock_lock *, const struct dblock_release_request *);
	void *requested_arg;
};

static inline bool dbl_spec_calls_back(const struct dbl_acquire_spec *spec)
{
	return spec->canceled || spec->lost || spec->waiting || spec->trouble || spec->requested;
}

/* It is one name's part of a wait for several names, all or any of them. */
static inline bool dbl_spec_is_part(const struct dbl_acquire_spec *spec)
{
	return spec->names < 0 || spec->names > 1;
}

/* A row of the queue is to carry the grant, not the lock's own row. Where others have a priority one may in
 * any case. */
static inline bool dbl_spec_is_by_row(const struct dbl_acquire_spec *spec)
{
	return spec->mode != DBLOCK_EXCLUSIVE || spec->upgrades || spec->priority ||
	       dbl_spec_is_part(spec);
}

struct dbl_locks;
struct dblock_error;

/* The type of dbl_lock_try(), dbl_lock_wait(), and functions that do a part of these. */
typedef int dbl_acquire_fn(struct dbl_locks *, const struct dbl_acquire_spec *,
			   struct dblock_lock **, struct dblock_error *);

#endif
