/* SPDX-License-Identifier: MIT */
/* Pools, while each driver call in turn goes wrong in each way. */
#include <dblock/pool.h>

#include "db/faults/strike_kit.h"
#include "driver/value.h"
#include "support/puppet.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

static struct dblock_acquire_options permits(int64_t n, int64_t capacity, bool numbered)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.mode = DBLOCK_PERMITS;
	how.permits = n;
	how.capacity = capacity;
	how.numbered = numbered;
	return how;
}

static void store(struct stage *s, int64_t capacity)
{
	struct dblock_error err = {0};

	expect(OK, dblock_pool_resize(s->calm, "gpu", capacity, &err));
}

/* ---- resize ---------------------------------------------------------------------------------- */

/* One waits for permits of a semaphore that is closed, and never looks. */
static void with_closed(struct stage *s)
{
	struct puppet *p = puppet_new(strike_calm(s->strike), DAY_MS);

	raw_exec(s->raw, "DELETE FROM dblock_queue");
	store(s, 0);
	p->place = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_enqueue,
		   DBL_ARGS_OF(dbl_text("gpu"), dbl_int(p->place), dbl_text(p->id), dbl_int(0),
			       dbl_null(), dbl_null(), dbl_null(), dbl_text(""),
			       dbl_int(DBLOCK_PERMITS), dbl_int(2), dbl_null(), dbl_null(),
			       dbl_int(1), dbl_int(0), dbl_int(p->beat), dbl_int(0)));
	puppet_announce(p, "gpu");
	s->own = p;
	with_client(s);
}

static int call_resize(struct stage *s, struct dblock_error *err)
{
	return dblock_pool_resize(s->client, "gpu", 3, err);
}

/* Naive: the second copy of what was lost undoes what is stored; or nobody is granted what there is. */
static void check_resized(struct stage *s, int rc)
{
	struct puppet *p = s->own;
	struct dblock_error err = {0};
	int64_t capacity = -1;

	strike_let_go(s->strike);
	expect(OK, dblock_pool_capacity(s->calm, "gpu", &capacity, &err));
	assert_true(capacity == 3 || (rc && capacity == 0));
	/* What may be unsure is said again. */
	if (rc)
		store(s, 3);
	assert_int_equal(raw_int(s->raw,
				 "SELECT count(*) FROM dblock_queue WHERE nonce = %lld "
				 "AND token IS NOT NULL",
				 (long long)p->place),
			 1);
	puppet_free(p);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	s->own = NULL;
}

PLAY(resize, .prepare = with_closed, .call = call_resize, .check = check_resized, .least = 4,
     .may = {FAILURES})

/* ---- which permits --------------------------------------------------------------------------- */

static void with_semaphore(struct stage *s)
{
	store(s, 2);
	with_client(s);
}

static int call_numbered(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options how = permits(2, DBLOCK_CAPACITY_STORED, true);
	struct dblock_lock *lock;
	int rc = dblock_try(s->client, "gpu", &how, &lock, err);

	s->own = lock;
	return rc;
}

/* What was granted, but not told, comes free with a heartbeat; and so do its numbers. */
static struct dblock_lock *takes_both(struct stage *s)
{
	static const struct scene numbered = {.name = "numbered"};
	struct dblock_acquire_options how = permits(2, DBLOCK_CAPACITY_STORED, true);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t until = clock_ms() + PLENTY_MS;

	while (dblock_try(s->calm, "gpu", &how, &lock, &err) == DBLOCK_BUSY && clock_ms() < until)
		beat(s, &numbered);
	assert_non_null(lock);
	return lock;
}

static void has_both(const struct dblock_lock *lock)
{
	assert_int_equal(dblock_permit_of(lock, 0), 0);
	assert_int_equal(dblock_permit_of(lock, 1), 1);
	assert_int_equal(dblock_permit_of(lock, 2), -1);
}

/* Naive: who has lost the answer takes further numbers; or the grant stays without them. */
static void check_numbered(struct stage *s, int rc)
{
	struct dblock_lock *lock = s->own;
	struct dblock_error err = {0};

	s->own = NULL;
	assert_true((rc == DBLOCK_OK) == (lock != NULL));
	strike_let_go(s->strike);
	if (lock) {
		has_both(lock);
		assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_permit"), 2);
		expect(OK, dblock_release(lock, &err));
	}
	lock = takes_both(s);
	has_both(lock);
	give(lock);
}

PLAY(number, .prepare = with_semaphore, .call = call_numbered, .check = check_numbered, .least = 4,
     .may = {FAILURES, DBLOCK_LOST})

/* ---- members --------------------------------------------------------------------------------- */

static void with_member(struct stage *s)
{
	struct dblock_error err = {0};

	raw_exec(s->raw, "DELETE FROM dblock_pool");
	expect(OK, dblock_pool_add(s->calm, "p", "a", &err));
	s->own = calloc(1, sizeof(int));
	with_client(s);
}

static void without_member(struct stage *s)
{
	free(s->own);
	s->own = NULL;
}

static int found(void *n, const struct dblock_pool_member *member)
{
	assert_string_equal(member->pool, "p");
	++*(int *)n;
	return 0;
}

static int call_members(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_pool_drain(s->client, "p", "a", err);

	if (rc == 0)
		rc = dblock_pool_add(s->client, "p", "b", err);
	if (rc == 0)
		rc = dblock_pool_members(s->client, "p", found, s->own, err);
	return rc ? rc : dblock_pool_remove(s->client, "p", "b", err);
}

/* Naive: the removal whose answer was lost, and that is sent again, finds no such member. */
static void check_members(struct stage *s, int rc)
{
	int n = *(const int *)s->own;

	strike_let_go(s->strike);
	assert_true(n == 2 || (rc && n == 0));
	if (rc == DBLOCK_OK)
		assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_pool "
						 "WHERE drained = 1 AND member = 'a'"),
				 1);
	assert_in_range(raw_int(s->raw, "SELECT count(*) FROM dblock_pool"), 1, rc ? 2 : 1);
}

PLAY(members, .prepare = with_member, .call = call_members, .check = check_members,
     .clear = without_member, .least = 4, .may = {FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(resize),
		SCENE(number),
		SCENE(members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
