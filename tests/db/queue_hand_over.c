/* SPDX-License-Identifier: MIT */
/*
 * However a grant ends, the lock goes to who is first in line in one and the same way; and a wait
 * ends well whatever happens to what it waits by. Each case names the naive form that it is meant
 * to catch.
 */
#include "lock/bells.h"
#include "support/line.h"

enum { LEASE_MS = 3600000, SOON_MS = 300, TRIES = 20 };

struct scene {
	struct dblock_client *a, *b, *c;
	struct puppet *puppet;
	struct raw *raw;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->a = client_new(DBLOCK_TTL_MAX_MS);
	s->b = client_new(DBLOCK_TTL_MAX_MS);
	s->c = client_new(DBLOCK_TTL_MAX_MS);
	s->puppet = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->raw = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_waiter"); /* the puppets' of before */
	is_free(s->a, "x");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	puppet_free(s->puppet);
	dblock_close(s->a);
	dblock_close(s->b);
	if (s->c)
		dblock_close(s->c);
	free(s);
	return 0;
}

/* ---- however it ends ----------------------------------------------------------------------------
 */

/* Everything in the row is the puppet's, who asked for a lease and said a word. */
static void is_the_puppets(struct scene *s, int64_t token_before)
{
	struct shown x = show(s->a, "x");

	assert_true(row_of(s->raw, "nonce") == s->puppet->place);
	assert_true(x.h.token > token_before);
	assert_true(x.h.token == row_of(s->raw, "token"));
	assert_string_equal(x.host, "puppet");
	assert_string_equal(x.value, "a word");
	assert_int_equal(row_of(s->raw, "thread"), 77);
	assert_int_equal(row_of(s->raw, "served"), s->puppet->ticket);
	assert_int_equal(row_of(s->raw, "lease"), dbl_ms(LEASE_MS));
	assert_true(x.h.left_ms > LEASE_MS - PLENTY_MS && x.h.left_ms <= LEASE_MS);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x'"
					 " AND session IS NULL"),
			 1);
	assert_true(puppet_gives_back(s->puppet, "x"));
}

static void puppet_waits(struct scene *s)
{
	puppet_queues_for(s->puppet, "x", LEASE_MS, "a word");
}

static void a_release_hands_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->c, "x");
	int64_t token = dblock_token(lock);

	puppet_waits(s);
	give(lock);
	is_the_puppets(s, token);
}

static void a_release_by_token_hands_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->c, "x");
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	puppet_waits(s);
	expect(OK, dblock_release_token(s->a, "x", token, &err));
	/* Once more, and by him who does not know of it: it is not theirs. */
	expect(STALE, dblock_release_token(s->a, "x", token, &err));
	expect(LOST, dblock_release(lock, &err));
	is_the_puppets(s, token);
}

/* Naive: breaking frees, and that is all. */
static void a_break_hands_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->c, "x");
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	puppet_waits(s);
	expect(OK, dblock_break(s->a, "x", token, 0, &err));
	expect(STALE, dblock_break(s->a, "x", token, 0, &err));
	expect(LOST, dblock_release(lock, &err));
	is_the_puppets(s, token);
}

/* Naive: closing leaves the dead session's locks to whoever wants one. */
static void closing_hands_over(void **state)
{
	struct scene *s = *state;
	int64_t token = dblock_token(take(s->c, "x"));

	puppet_waits(s);
	dblock_close(s->c);
	s->c = NULL;
	is_the_puppets(s, token);
}

/* Naive: the reaper frees what the dead held, though others wait. */
static void the_reaper_hands_over_from_the_dead(void **state)
{
	struct scene *s = *state;
	struct puppet *dead = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	struct dblock_error err = {0};

	assert_true(puppet_takes(dead, "x"));
	puppet_waits(s);
	assert_true(puppet_is_buried(dead, dead->beat, dead->ttl));
	expect(OK, dblock_reap(s->a, NULL, NULL, &err));
	is_the_puppets(s, dead->token);
	puppet_free(dead);
}

static struct dblock_lock *take_for(struct dblock_client *client, int64_t lease_ms,
				    int64_t least_ms)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.lease_ms = lease_ms;
	how.at_least_ms = least_ms;
	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	return lock;
}

static void the_reaper_hands_over_what_has_ended(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take_for(s->c, SOON_MS, 0);
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	puppet_waits(s);
	sleep_ms(SOON_MS + 50);
	expect(OK, dblock_reap(s->a, NULL, NULL, &err));
	expect(LOST, dblock_release(lock, &err));
	is_the_puppets(s, token);
}

/* Naive: who tries takes an ended lease for himself. */
static void a_try_hands_over_what_has_ended(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take_for(s->c, SOON_MS, 0);
	int64_t token = dblock_token(lock);

	puppet_waits(s);
	sleep_ms(SOON_MS + 50);
	busy(s->a, "x");
	assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
	is_the_puppets(s, token);
}

/* Released in time, it stays taken until then; and then it is the line's. */
static void the_end_of_a_minimum_hold_hands_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take_for(s->c, 0, SOON_MS);
	int64_t token = dblock_token(lock), begun = clock_ms();

	puppet_waits(s);
	give(lock);
	if (clock_ms() - begun < SOON_MS)
		assert_false(puppet_gives_back(s->puppet, "x"));
	sleep_ms(SOON_MS + 50);
	busy(s->a, "x");
	is_the_puppets(s, token);
}

/* Those who wait look when it is time. Naive: once a second. */
static void who_waits_takes_what_has_ended(void **state)
{
	struct scene *s = *state;

	for (int i = 0; i < 2; i++) {
		struct dblock_lock *lock =
			i ? take_for(s->c, 0, SOON_MS) : take_for(s->c, SOON_MS, 0);
		int64_t token = dblock_token(lock);
		struct waiting first = {.lock = NULL}, second = {.lock = NULL};

		waiting_join(&first, s->a, s->raw);
		waiting_join(&second, s->b, s->raw);
		/* The lease is left to end by itself, and its handle is of no use then. */
		if (i == 1)
			give(lock);
		waiting_end(&first, OK);
		if (i == 0)
			assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
		assert_true(dblock_token(first.lock) > token);
		assert_false(second.call.done);
		give(first.lock);
		waiting_give(&second);
	}
}

/* ---- being woken --------------------------------------------------------------------------------
 */

/* Naive: no ring; or it looks before it believes one. One play of a few is without the look that is
 * due once a second. */
static void woken_without_a_statement(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	int runs = 1;

	for (int i = 0; i < TRIES && runs > 0; i++) {
		struct dblock_lock *lock = take(s->a, "x");
		struct waiting w = {.lock = NULL};
		int looks = spy->runs_of[DBL_OP_look];

		waiting_join(&w, client, s->raw);
		until_true(spy->runs_of[DBL_OP_look] > looks);
		looks = spy->runs_of[DBL_OP_look];
		give(lock);
		waiting_end(&w, OK);
		runs = spy->runs_of[DBL_OP_look] - looks;
		give(w.lock);
	}
	assert_int_equal(runs, 0);
	dblock_close(client);
	spy_free(spy);
}

/* What a waiting client sends, but for looks and what it clears up. */
static int other_runs(struct spy *spy)
{
	return spy->runs - spy->runs_of[DBL_OP_look] - spy->runs_of[DBL_OP_dequeue_served] -
	       spy->runs_of[DBL_OP_heartbeat];
}

enum { CROWD = 200 };

static int count_done(struct waiting *crowd)
{
	int done = 0;

	for (int i = 0; i < CROWD; i++)
		done += crowd[i].call.done;
	return done;
}

/* Naive: a release wakes all of them, or each that wakes asks for the lock. */
static void a_crowd_sleeps_on(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting *crowd = calloc(CROWD, sizeof(*crowd));
	int first = 0, runs;

	for (int i = 0; i < CROWD; i++)
		waiting_start(&crowd[i], client);
	until_true(spy->runs_of[DBL_OP_announce] == CROWD);
	until_true(in_line(s->raw) == CROWD);
	runs = other_runs(spy);
	give(lock);
	until_true(count_done(crowd) > 0);
	sleep_ms(150);
	assert_int_equal(other_runs(spy), runs);
	assert_int_equal(count_done(crowd), 1);
	for (int i = 0; i < CROWD; i++) {
		if (crowd[i].call.done)
			first = i;
		else
			crowd[i].cancel = true;
	}
	for (int i = 0; i < CROWD; i++) {
		if (i != first)
			waiting_end(&crowd[i], CANCELED);
	}
	waiting_give(&crowd[first]);
	until_true(rows_in_line(s->raw) == 0);
	is_free(s->a, "x");
	free(crowd);
	dblock_close(client);
	spy_free(spy);
}

/* ---- handed to the dead -------------------------------------------------------------------------
 */

static void a_dead_waiters_grant_goes_to_the_next(void **state)
{
	struct scene *s = *state;
	struct puppet *dying = puppet_new(NULL, 1000);
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};
	bool was_served;
	int64_t begun;

	puppet_queues(dying, "x");
	waiting_join(&w, s->b, s->raw);
	assert_true(puppet_beats(dying));
	begun = clock_ms();
	give(lock);
	was_served = row_of(s->raw, "served") == dying->ticket;
	waiting_end(&w, OK);
	/* Not before it has been watched for its ttl; if the machine was so slow that it looked
	 * expired by the release, it was passed over. */
	if (was_served)
		assert_true(w.call.ended - begun >= 1000);
	assert_true(row_of(s->raw, "token") == dblock_token(w.lock));
	give(w.lock);
	puppet_free(dying);
}

static void a_dead_waiters_grant_is_reaped(void **state)
{
	struct scene *s = *state;
	struct puppet *dying = puppet_new(NULL, 500);
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err = {0};

	puppet_queues(dying, "x");
	puppet_waits(s);
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} + 1000000 WHERE id = '%s'",
		 dying->id);
	give(lock);
	if (row_of(s->raw, "served") == dying->ticket) {
		int64_t token = row_of(s->raw, "token");

		while (row_of(s->raw, "served") == dying->ticket)
			expect(OK, dblock_reap(s->a, NULL, NULL, &err));
		is_the_puppets(s, token);
	}
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_waiter WHERE session = '%s'",
				 dying->id),
			 0);
	puppet_free(dying);
}

/* ---- a lease that is handed over ----------------------------------------------------------------
 */

/* What is left of it here, and what the database still gives, which is asked after. */
static void promises_no_more(struct scene *s, struct dblock_lock *lock)
{
	int64_t before = clock_ms(), ours = dblock_remaining_ms(lock);
	int64_t theirs = row_of(s->raw, "expires - {boot}") / 1000;

	assert_true(ours <= theirs + (clock_ms() - before) + 1);
}

/* Granted behind its back; and told of it later, or never. Naive: the lease counts from the ring,
 * or from the look that found it. */
static void a_lease_counts_from_the_hand_over(void **state)
{
	struct scene *s = *state;
	static const int64_t leases[] = {2000, 8000, 60000};
	static const int64_t late_ms[] = {1, 450, 5000};

	for (int i = 0; i < 9; i++) {
		struct spy *spy = spy_new();
		struct dblock_client *client = spy_client(spy, 0);
		struct waiting w = {.how.lease_ms = leases[i / 3]};
		int64_t begun, late = late_ms[i % 3];
		int looks;

		assert_true(puppet_takes(s->puppet, "x"));
		waiting_join(&w, client, s->raw);
		looks = spy->runs_of[DBL_OP_look];
		until_true(spy->runs_of[DBL_OP_look] > looks);
		sleep_ms(20);
		s->puppet->place = raw_int(s->raw, "SELECT nonce FROM dblock_waiter");
		assert_true(puppet_hands_over(s->puppet, "x").done);
		begun = clock_ms();
		while (!w.call.done && clock_ms() - begun < late)
			sleep_ms(2);
		if (!w.call.done)
			dbl_bells_tell(client->locks, s->puppet->place, row_of(s->raw, "token"));
		waiting_end(&w, OK);
		promises_no_more(s, w.lock);
		(void)dblock_release(w.lock, NULL);
		dblock_close(client);
		spy_free(spy);
		(void)puppet_gives_back(s->puppet, "x");
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_release_hands_over),
		CASE(a_release_by_token_hands_over),
		CASE(a_break_hands_over),
		CASE(closing_hands_over),
		CASE(the_reaper_hands_over_from_the_dead),
		CASE(the_reaper_hands_over_what_has_ended),
		CASE(a_try_hands_over_what_has_ended),
		CASE(the_end_of_a_minimum_hold_hands_over),
		CASE(who_waits_takes_what_has_ended),
		CASE(woken_without_a_statement),
		CASE(a_crowd_sleeps_on),
		CASE(a_dead_waiters_grant_goes_to_the_next),
		CASE(a_dead_waiters_grant_is_reaped),
		CASE(a_lease_counts_from_the_hand_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
