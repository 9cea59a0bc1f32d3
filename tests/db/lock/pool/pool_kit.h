/* SPDX-License-Identifier: MIT */
/* Semaphores whose capacity is stored. */
#ifndef TESTS_DB_POOL_KIT_H
#define TESTS_DB_POOL_KIT_H

#include "db/lock/queue/queue_kit.h"

#include "lock/core/value.h"

#include <dblock/pool.h>

enum { STORED = DBLOCK_CAPACITY_STORED };

#undef CASE
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up_pool, tear_down)

static inline int set_up_pool(void **state)
{
	struct scene *s;

	set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_lock");
	raw_exec(s->raw, "DELETE FROM dblock_permit");
	return 0;
}

static inline struct dblock_acquire_options permits(int64_t n, int64_t capacity)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.mode = DBLOCK_PERMITS;
	how.permits = n;
	how.capacity = capacity;
	return how;
}

static inline struct dblock_lock *takes(struct dblock_client *client, int64_t n, int64_t capacity)
{
	struct dblock_acquire_options how = permits(n, capacity);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	return lock;
}

static inline void takes_none(struct dblock_client *client, int64_t n, int64_t capacity)
{
	struct dblock_acquire_options how = permits(n, capacity);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(BUSY, dblock_try(client, "x", &how, &lock, &err));
}

static inline void resize(struct dblock_client *client, int64_t capacity)
{
	struct dblock_error err = {0};

	expect(OK, dblock_pool_resize(client, "x", capacity, &err));
}

/* The permits that rows hold. */
static inline int64_t held(struct scene *s)
{
	return raw_int(s->raw,
		       "SELECT CAST(coalesce(sum(weight), 0) AS %s) FROM dblock_queue "
		       "WHERE name = 'x' AND token IS NOT NULL",
		       on_backend("mysql") ? "SIGNED" : "bigint");
}

/* A puppet waits for permits, and never looks: if it is granted them, somebody else has done that. */
static inline void puppet_wants(struct puppet *p, int64_t n, int64_t capacity)
{
	p->place = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_enqueue,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(p->place), dbl_text(p->id), dbl_int(0),
			       dbl_null(), dbl_null(), dbl_null(), dbl_text(""),
			       dbl_int(DBLOCK_PERMITS), dbl_int(n),
			       dbl_int_if(capacity > 0, capacity), dbl_null(), dbl_int(1),
			       dbl_int(0), dbl_int(p->beat), dbl_int(0)));
	p->ticket = p->answers[0];
	puppet_announce(p, "x");
}

static inline bool puppet_has(struct scene *s, const struct puppet *p)
{
	return raw_int(s->raw,
		       "SELECT count(*) FROM dblock_queue WHERE nonce = %lld "
		       "AND token IS NOT NULL",
		       (long long)p->place) == 1;
}

#endif
