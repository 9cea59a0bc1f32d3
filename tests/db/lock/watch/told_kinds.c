/* SPDX-License-Identifier: MIT */
/* Grants of each kind are taken away: kept idle, shared, permits, several names in one; and the
 * breaker is shut down. No heartbeat is due, and no ttl is over, while a test runs: a holder is
 * told by a datagram, and a lock is free because it has been given back. */
#include "lock/cache/own.h"
#include "support/call.h"
#include "support/sticky.h"
#include "support/waiting.h"

struct scene {
	struct spy *spy; /* the breaker's */
	struct dblock_client *a, *c, *breaker;
	struct raw *raw;
	struct call breaks;
	int64_t token; /* the token of the grant to take away; 0: all */
	_Atomic int lost;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->a = client_new(PLENTY_MS * 10);
	s->c = client_new(PLENTY_MS * 10);
	s->spy = spy_new();
	s->breaker = spy_client(s->spy, 0);
	s->raw = raw_open(NULL);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	dblock_shutdown(s->breaker);
	if (s->breaks.run && !s->breaks.done)
		(void)call_end(&s->breaks);
	raw_close(s->raw);
	dblock_close(s->a, NULL);
	dblock_close(s->c, NULL);
	dblock_close(s->breaker, NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

static int break_it(void *arg, struct dblock_error *err)
{
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	struct scene *s = arg;

	how.token = s->token;
	return dblock_break(s->breaker, "x", &how, err);
}

static void begin_break(struct scene *s)
{
	call_start(&s->breaks, break_it, s);
}

/* The break has waited for the holder, and has ended completely. */
static void is_broken(struct scene *s)
{
	assert_int_equal(call_end(&s->breaks), DBLOCK_OK);
	wait_until(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation") == 0);
}

/* The holder is told, and the break waits for it. */
static void hears(struct scene *s, struct dblock_lock *lock)
{
	wait_until(!dblock_valid(lock, 0));
	assert_false(s->breaks.done);
}

/* The break has looked at least twice more at each of both holders. */
static void still_waits(struct scene *s)
{
	int looks = s->spy->runs_of[DBL_OP_revoked];

	wait_until(s->breaks.done || s->spy->runs_of[DBL_OP_revoked] >= looks + 4);
	assert_false(s->breaks.done);
}

static void lets_go(struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	expect(LOST, dblock_release(lock, &err));
	message_has("it was broken by host ");
}

static struct dblock_lock *take_as(struct dblock_client *client, enum dblock_mode mode,
				   int64_t permits)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.mode = mode;
	how.permits = permits;
	how.capacity = permits ? 5 : 0;
	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	return lock;
}

/* ---- kept idle ------------------------------------------------------------------------------- */

/* The grant is idle: nobody can let go of it. Naive: it stays until its ttl, or idle time, is over.
 */
static void what_is_kept_idle_goes_at_once(void **state)
{
	struct scene *s = *state;

	keep(s->a, "x");
	begin_break(s);
	is_broken(s);
	assert_int_equal(s->a->locks->cache->n_idle, 0);
	is_free(s->breaker, "x");
}

/* The lock was taken again from memory: its token is not the row's. Naive: the release keeps it. */
static void what_was_kept_is_not_kept_again(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock;

	keep(s->a, "x");
	lock = take_for(s->a, "x", KEPT_MS);
	assert_true(raw_int(s->raw, "SELECT token FROM dblock_lock WHERE name = 'x'") !=
		    dblock_token(lock));
	begin_break(s);
	hears(s, lock);
	lets_go(lock);
	is_broken(s);
	assert_int_equal(s->a->locks->cache->n_idle, 0);
	is_free(s->breaker, "x");
}

/* ---- held by several ------------------------------------------------------------------------- */

/* Naive: the first holder that lets go ends the wait. */
static void each_who_shares_it_is_told(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *ours = take_as(s->a, DBLOCK_SHARED, 0);
	struct dblock_lock *theirs = take_as(s->c, DBLOCK_SHARED, 0);

	begin_break(s);
	hears(s, ours);
	hears(s, theirs);
	lets_go(ours);
	still_waits(s);
	busy(s->breaker, "x");
	lets_go(theirs);
	is_broken(s);
	is_free(s->breaker, "x");
}

/* Naive: the holders before it are told, and lose the lock, though the call says that it did
 * nothing. */
static void one_who_shares_it_cannot_be_told(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *ours = take_as(s->a, DBLOCK_SHARED, 0);
	struct dblock_lock *theirs = take_as(s->c, DBLOCK_SHARED, 0);

	raw_exec(s->raw,
		 "UPDATE dblock_session SET protocol = 0 WHERE id = "
		 "(SELECT session FROM dblock_queue WHERE name = 'x' AND token = %lld)",
		 (long long)dblock_token(theirs));
	begin_break(s);
	assert_int_equal(call_end(&s->breaks), DBLOCK_BUSY);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_revocation"), 0);
	assert_true(dblock_valid(ours, 0));
	give(ours);
	give(theirs);
}

/* Naive: all holders of the name are told. */
static void of_permits_only_those_of_that_grant(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *two = take_as(s->a, DBLOCK_PERMITS, 2);
	struct dblock_lock *three = take_as(s->c, DBLOCK_PERMITS, 3);

	s->token = dblock_token(two);
	begin_break(s);
	hears(s, two);
	assert_true(dblock_valid(three, 0));
	lets_go(two);
	is_broken(s);
	give(take_as(s->breaker, DBLOCK_PERMITS, 2));
	assert_true(dblock_valid(three, 0));
	give(three);
}

/* ---- several names --------------------------------------------------------------------------- */

static void lost(void *arg, struct dblock_lock *lock)
{
	struct scene *s = arg;

	(void)lock;
	s->lost++;
}

/* One lock of several is taken away, and without it the others are of no use. Naive: the handle
 * stays valid, or the others stay held. */
static void one_part_of_a_group(void **state)
{
	static const struct dblock_lock_spec wants[] = {
		{.name = "w"}, {.name = "x"}, {.name = "y"}};
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.lost = lost;
	how.lost_arg = s;
	expect(OK, dblock_acquire_all(s->a, wants, 3, &how, &lock, &err));
	begin_break(s);
	hears(s, lock);
	wait_until(s->lost > 0);
	busy(s->c, "w");
	lets_go(lock);
	is_broken(s);
	is_free(s->c, "w");
	is_free(s->c, "x");
	is_free(s->c, "y");
	assert_int_equal(s->lost, 1);
}

/* ---- who takes it away ----------------------------------------------------------------------- */

/* The grant stays taken away. Naive: the break waits on, for up to a ttl. */
static void a_shutdown_ends_the_wait(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err;

	begin_break(s);
	hears(s, lock);
	dblock_shutdown(s->breaker);
	assert_int_equal(call_end(&s->breaks), DBLOCK_CANCELED);
	err = s->breaks.err;
	message_has("shut down");
	message_has("is free when its holder lets go");
	busy(s->c, "x");
	lets_go(lock);
	is_free(s->c, "x");
}

static enum spy_fate no_looks(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_revoked ? SPY_LOST_BEFORE : SPY_PASS;
}

/* Naive: the message reads as if nothing had been taken away. */
static void a_failure_says_that_the_break_stands(void **state)
{
	struct scene *s = *state;
	struct dblock_client *hasty = spy_client_with(s->spy, 0, SLOWLY_MS(1000));
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err = {0};

	s->spy->fate = no_looks;
	assert_true(dblock_break(hasty, "x", NULL, &err) < 0);
	message_has("; the break stands");
	wait_until(!dblock_valid(lock, 0));
	lets_go(lock);
	s->spy->fate = NULL;
	dblock_close(hasty, NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_kept_idle_goes_at_once),
		CASE(what_was_kept_is_not_kept_again),
		CASE(each_who_shares_it_is_told),
		CASE(one_who_shares_it_cannot_be_told),
		CASE(of_permits_only_those_of_that_grant),
		CASE(one_part_of_a_group),
		CASE(a_shutdown_ends_the_wait),
		CASE(a_failure_says_that_the_break_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
