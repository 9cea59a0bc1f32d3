/* SPDX-License-Identifier: MIT */
/* Which permits somebody has. Each case names the naive form that it is meant to catch. */
#include "db/lock/pool/pool_kit.h"

#include "support/begun.h"

enum { CAPACITY = 4, THREADS = 6, TURNS = 8 };

static struct dblock_lock *takes_numbered(struct dblock_client *client, int64_t n, int64_t capacity)
{
	struct dblock_acquire_options how = permits(n, capacity);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.numbered = true;
	expect(OK, dblock_acquire(client, "x", &how, &lock, &err));
	return lock;
}

static void has(const struct dblock_lock *lock, int64_t first, int64_t second)
{
	assert_int_equal(dblock_permit_of(lock, 0), first);
	assert_int_equal(dblock_permit_of(lock, 1), second);
	assert_int_equal(dblock_permit_of(lock, 2), -1);
}

/* Naive: the largest that was ever taken, and one; or a number is found free before its grant is over. */
static void the_smallest_that_are_free(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *one, *two, *three, *pair;

	one = takes_numbered(s->a, 1, 6);
	two = takes_numbered(s->b, 1, 6);
	three = takes_numbered(s->a, 1, 6); /* the same thread and client */
	has(one, 0, -1);
	has(two, 1, -1);
	has(three, 2, -1);
	give(two);
	pair = takes_numbered(s->c, 2, 6);
	has(pair, 1, 3);
	give(one);
	give(pair);
	one = takes_numbered(s->b, 2, 6);
	has(one, 0, 1);
	has(three, 2, -1);
	give(one);
	give(three);
}

/* Naive: who does not ask for a number has one; or takes one from who does. */
static void only_who_asks(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *plain = takes(s->a, 2, 4), *numbered = takes_numbered(s->b, 1, 4);

	has(plain, -1, -1);
	has(numbered, 0, -1);
	assert_int_equal(dblock_permit_of(NULL, 0), -1);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_permit"), 1);
	give(plain);
	give(numbered);
}

/* Naive: only a release frees a number. Whatever ends a grant does: it was broken, its holder has died, its lease
 * is over, it rests. */
static void whatever_ends_the_grant_frees_it(void **state)
{
	struct scene *s = *state;
	struct dblock_break_options at_once = DBLOCK_BREAK_OPTIONS_INIT;
	struct dblock_acquire_options how = permits(1, 4);
	struct dblock_lock *lock = takes_numbered(s->a, 1, 4), *next;
	struct dblock_error err = {0};

	at_once.force = true;
	expect(OK, dblock_break(s->b, "x", &at_once, &err));
	next = takes_numbered(s->b, 1, 4);
	has(next, 0, -1);
	(void)dblock_release(lock, NULL);
	has(next, 0, -1);
	give(next);
	how.numbered = true;
	how.at_least_ms = 3600000;
	expect(OK, dblock_try(s->a, "x", &how, &lock, &err));
	has(lock, 0, -1);
	give(lock);
	next = takes_numbered(s->b, 1, 4);
	has(next, 0, -1); /* nobody uses the one that rests */
	give(next);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
}

static void who_died_has_it_until_that_is_known(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *next;

	give(takes(s->a, 1, 4));
	puppet_wants(s->puppet, 1, 4);
	resize(s->a, 4); /* grants it */
	assert_true(puppet_has(s, s->puppet));
	puppet_run(s->puppet, DBL_OP_permit_take,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(0), dbl_int(s->puppet->place), dbl_int(0)));
	next = takes_numbered(s->b, 1, 4);
	has(next, 1, -1);
	give(next);
	end_session(s->raw, s->puppet->id);
	next = takes_numbered(s->b, 1, 4);
	has(next, 0, -1);
	give(next);
}

/* Naive: a copy that comes late takes the number from who has it by then. */
static void a_late_copy_takes_nothing(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *one = takes_numbered(s->a, 1, 4), *two;
	int64_t nonce = raw_int(s->raw, "SELECT nonce FROM dblock_permit");

	give(one);
	two = takes_numbered(s->b, 1, 4);
	has(two, 0, -1);
	for (int i = 0; i < 2; i++) {
		int64_t over = i ? nonce : 0;

		puppet_run(s->puppet, DBL_OP_permit_take,
			   DBL_ARGS_OF(dbl_text("x"), dbl_int(0), dbl_int(7), dbl_int(over)));
		assert_true(raw_int(s->raw, "SELECT nonce FROM dblock_permit") != 7);
	}
	one = takes_numbered(s->a, 1, 4);
	has(one, 1, -1);
	give(one);
	give(two);
}

/* ---- many at once ---------------------------------------------------------------------------- */

static atomic_int users[CAPACITY];

struct worker {
	struct call call;
	struct dblock_client *client;
	int twice, turns;
};

static void use(struct worker *w, struct dblock_lock *lock)
{
	int64_t number = dblock_permit_of(lock, 0);

	if (number < 0 || number >= CAPACITY || atomic_fetch_add(&users[number], 1) != 0)
		w->twice++;
	sleep_ms(1);
	if (number >= 0 && number < CAPACITY)
		atomic_fetch_sub(&users[number], 1);
	w->turns++;
}

static int work(void *arg, struct dblock_error *err)
{
	struct worker *w = arg;
	struct dblock_acquire_options how = permits(1, STORED);
	int rc = 0;

	how.numbered = true;
	for (int i = 0; i < TURNS && rc == 0; i++) {
		struct dblock_lock *lock;

		rc = dblock_acquire(w->client, "x", &how, &lock, err);
		if (rc)
			break;
		use(w, lock);
		rc = dblock_release(lock, err);
	}
	return rc;
}

/* Naive: who has read that a number is free writes that it is his, and so do two of them. */
static void no_number_is_two_ones(void **state)
{
	struct scene *s = *state;
	struct dblock_client *clients[] = {s->a, s->b, s->c};
	struct worker workers[THREADS] = {0};

	resize(s->a, CAPACITY);
	for (int i = 0; i < THREADS; i++) {
		workers[i].client = clients[i % 3];
		call_start(&workers[i].call, work, &workers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		struct dblock_error err = {0};

		expect(OK, call_end(&workers[i].call));
		assert_int_equal(workers[i].twice, 0);
		assert_int_equal(workers[i].turns, TURNS);
	}
}

/* ---- the ways of an acquire ------------------------------------------------------------------ */

static void one_that_is_begun(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options how = permits(2, 4);
	struct dblock_lock *first = takes_numbered(s->a, 1, 4), *lock = NULL;
	struct dblock_error err = {0};
	struct dblock_wait *wait;

	how.numbered = true;
	expect(OK, dblock_acquire_begin(s->b, "x", &how, &wait, &err));
	until_true(dblock_wait_step(wait, &lock, &err) != DBLOCK_WAITING);
	assert_non_null(lock);
	has(lock, 1, 2);
	dblock_wait_end(wait);
	give(lock);
	give(first);
}

static void what_is_wrong(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock_spec two[] = {{.name = "x"}, {.name = "y"}};
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.numbered = true;
	expect(E_INVALID, dblock_try(s->a, "x", &how, &lock, &err));
	message_has("permits, capacity and numbered are for mode DBLOCK_PERMITS");
	expect(E_INVALID, dblock_try_all(s->a, two, 2, &how, &lock, &err));
	message_has("numbered");
	how = permits(DBLOCK_NUMBERED_MAX + 1, 100);
	how.numbered = true;
	expect(E_INVALID, dblock_try(s->a, "x", &how, &lock, &err));
	message_has("at most 64 can be numbered");
	how.permits = DBLOCK_NUMBERED_MAX;
	expect(OK, dblock_try(s->a, "x", &how, &lock, &err));
	assert_int_equal(dblock_permit_of(lock, DBLOCK_NUMBERED_MAX - 1), DBLOCK_NUMBERED_MAX - 1);
	give(lock);
}

/* Naive: it sweeps the numbers of those who hold; or none, and they stay for ever. */
static void the_reaper_sweeps_what_is_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = takes_numbered(s->a, 2, 4);
	struct dblock_error err = {0};

	raw_exec(s->raw, "INSERT INTO dblock_permit (name, number, nonce) VALUES ('x', 7, 5)");
	/* More than a page. */
	for (int i = 0; i < 230; i++)
		raw_exec(s->raw,
			 "INSERT INTO dblock_permit (name, number, nonce) VALUES ('%s', %d, 6)",
			 i % 2 ? "gone" : "y", i);
	expect(OK, dblock_reap(s->b, NULL, NULL, &err));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_permit"), 2);
	has(lock, 0, 1);
	give(lock);
	expect(OK, dblock_reap(s->b, NULL, NULL, &err));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_permit"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_smallest_that_are_free),
		CASE(only_who_asks),
		CASE(whatever_ends_the_grant_frees_it),
		CASE(who_died_has_it_until_that_is_known),
		CASE(a_late_copy_takes_nothing),
		CASE(no_number_is_two_ones),
		CASE(one_that_is_begun),
		CASE(what_is_wrong),
		CASE(the_reaper_sweeps_what_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
