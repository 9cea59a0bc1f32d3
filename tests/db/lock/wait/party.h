/* SPDX-License-Identifier: MIT */
/*
 * Parties to a deadlock: threads of this process that hold a lock, and then want another, one after
 * the other, so that it is known which is the youngest. Their outcomes are checked in the end, when
 * each has given back what it had.
 */
#ifndef TESTS_SUPPORT_PARTY_H
#define TESTS_SUPPORT_PARTY_H

#include <sys/syscall.h>

#include "api/client.h"
#include "support/queue.h"

enum { PARTY_HOLDS = 2, SOON_MS = 20 };

struct thing {
	const char *name, *and; /* `and`: NULL, or a second name, both at once; */
	bool any;               /* or any one of the two */
	bool tree;              /* the name is a path */
	enum dblock_mode mode;
	int64_t permits, capacity;
	bool upgrade; /* an upgrade of what is held of that name */
	int64_t lease_ms;
	uint64_t owner;
	int priority;
};

struct role {
	struct thing holds[PARTY_HOLDS], wants;
	int64_t deadlock_ms; /* 0: SOON_MS */
	int64_t wait_ms;
};

struct party {
	const struct role *role;
	struct dblock_client *client;
	struct dblock_lock *held[PARTY_HOLDS];
	pthread_t thread;
	_Atomic long tid;
	_Atomic int ready;           /* it has taken its locks */
	_Atomic bool go, done, stop; /* may want; has an outcome; must cancel */
	_Atomic bool keep;           /* keep the locks after the outcome until this is false */
	_Atomic bool over;           /* it has given back everything */
	int rc;
	struct dblock_error err;
};

static inline int party_is_stopped(void *arg)
{
	return ((struct party *)arg)->stop;
}

static inline struct dblock_acquire_options options_of(const struct thing *thing)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;

	o.mode = thing->mode;
	o.permits = thing->permits;
	o.capacity = thing->capacity;
	o.lease_ms = thing->lease_ms;
	o.owner = thing->owner;
	o.priority = thing->priority;
	return o;
}

static inline int party_takes(struct party *p)
{
	for (int i = 0; i < PARTY_HOLDS && p->role->holds[i].name; i++) {
		struct dblock_acquire_options o = options_of(&p->role->holds[i]);

		const struct dblock_lock_spec both[] = {{.name = p->role->holds[i].name},
							{.name = p->role->holds[i].and }};

		p->rc = p->role->holds[i].tree
				? dblock_try_tree(p->client, both[0].name, &o, &p->held[i], &p->err)
			: both[1].name
				? dblock_try_all(p->client, both, 2, &o, &p->held[i], &p->err)
				: dblock_try(p->client, both[0].name, &o, &p->held[i], &p->err);
		if (p->rc)
			return p->rc;
	}
	return 0;
}

static inline int party_upgrades(struct party *p)
{
	struct dblock_upgrade_options o = DBLOCK_UPGRADE_OPTIONS_INIT;

	o.deadlock_ms = p->role->deadlock_ms ? p->role->deadlock_ms : SOON_MS;
	o.wait_ms = p->role->wait_ms;
	o.canceled = party_is_stopped;
	o.canceled_arg = p;
	return dblock_upgrade(p->held[0], &o, &p->err);
}

static inline int party_wants(struct party *p, struct dblock_lock **lock)
{
	struct dblock_acquire_options o = options_of(&p->role->wants);
	const struct dblock_lock_spec both[] = {{.name = p->role->wants.name},
						{.name = p->role->wants.and }};

	o.deadlock_ms = p->role->deadlock_ms ? p->role->deadlock_ms : SOON_MS;
	o.wait_ms = p->role->wait_ms;
	o.canceled = party_is_stopped;
	o.canceled_arg = p;
	if (p->role->wants.tree)
		return dblock_acquire_tree(p->client, both[0].name, &o, lock, &p->err);
	if (p->role->wants.any)
		return dblock_acquire_any(p->client, both, 2, &o, lock, &p->err);
	if (p->role->wants.and)
		return dblock_acquire_all(p->client, both, 2, &o, lock, &p->err);
	return dblock_acquire(p->client, p->role->wants.name, &o, lock, &p->err);
}

/* A party's life from when it may want. */
static inline void party_live(struct party *p)
{
	struct dblock_lock *got = NULL;

	p->rc = p->role->wants.upgrade ? party_upgrades(p) : party_wants(p, &got);
	p->done = true;
	while (p->keep)
		sleep_ms(2);
	if (got)
		(void)dblock_release(got, NULL);
	for (int i = 0; i < PARTY_HOLDS; i++) {
		if (p->held[i])
			(void)dblock_release(p->held[i], NULL);
	}
	p->over = true;
}

static inline void *party_body(void *arg)
{
	struct party *p = arg;

	p->tid = syscall(SYS_gettid);
	p->ready = party_takes(p) ? -1 : 1;
	while (p->ready == 1 && !p->go)
		sleep_ms(2);
	if (p->ready == 1)
		party_live(p);
	return NULL;
}

/* Starts a thread, and returns when it has taken its locks. */
static inline void party_start(struct party *p, const struct role *role,
			       struct dblock_client *client)
{
	*p = (struct party){.role = role, .client = client};
	assert_int_equal(pthread_create(&p->thread, NULL, party_body, p), 0);
	until_true(p->ready != 0);
	if (p->ready < 0)
		fail_msg("%s", p->err.message);
}

static inline int64_t all_in_queue(struct raw *raw)
{
	return raw_int(raw,
		       "SELECT count(*) FROM dblock_queue w"
		       " WHERE w.token IS NULL AND (w.upgrades IS NOT NULL OR w.ticket >"
		       " COALESCE((SELECT l.served FROM dblock_lock l WHERE l.name = w.name), 0))");
}

/* Lets the party want, and returns when it is in the queue. */
static inline void party_go(struct party *p, struct raw *raw)
{
	int64_t n = all_in_queue(raw);

	p->go = true;
	until_true(all_in_queue(raw) > n || p->done);
}

static inline void party_end(struct party *p)
{
	until_true(p->done);
	p->keep = false;
	pthread_join(p->thread, NULL);
}

#define party_ends(p, outcome)                                                                     \
	do {                                                                                       \
		party_end(p);                                                                      \
		expect_at((p)->rc, DBLOCK_##outcome, &(p)->err, "what it wanted", __FILE__,        \
			  __LINE__);                                                               \
	} while (0)

#endif
