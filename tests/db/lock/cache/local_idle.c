/* SPDX-License-Identifier: MIT */
/* When a grant does not go from thread to thread, and which calls do not wait for it in memory:
 * mostly on the test's own clock, which stands still, so that only what is tested can end it. */
#include "support/local.h"
#include "support/tx.h"

/* ---- who asks the database ------------------------------------------------------------------- */

struct patient {
	struct dblock_client *client;
	const char *name;
	struct dblock_acquire_options options;
	struct dblock_lock *lock;
	struct dblock_error err;
	_Atomic int rc;
	_Atomic bool done;
};

static void *wants_it_so(void *arg)
{
	struct patient *p = arg;

	p->rc = dblock_acquire(p->client, p->name, &p->options, &p->lock, &p->err);
	p->done = true;
	return NULL;
}

/* A call that looks for deadlocks after less than a second joins the queue by then. */
static void who_suspects_a_deadlock_sooner_goes_sooner(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = in_still_time(spy, 0);
	struct raw *raw = raw_open(NULL);
	struct patient p = {.client = client, .name = "x", .options = DBLOCK_ACQUIRE_OPTIONS_INIT};
	struct crew crew = {.n = 0};
	struct dblock_lock *lock = in_turns(client, "x");

	(void)state;
	p.options.deadlock_ms = 50;
	crew_add(&crew, wants_it_so, &p);
	wait_until(in_memory(client, "x") == 1);
	spy->skew += 50000;
	wait_until(in_queue(raw) == 1);
	give(lock);
	crew_join(&crew);
	assert_int_equal(p.rc, DBLOCK_OK);
	give(p.lock);
	raw_close(raw);
	still_time_ends(spy, client);
}

static void on_waiting(void *arg, const struct dblock_waiting *waiting)
{
	(void)arg;
	(void)waiting;
}

/* An acquire that a turn cannot fulfil, or that others must see from the beginning, joins the queue
 * at once, though no time passes. */
static void is_not_for_turns(struct dblock_client *client, const char *name,
			     const struct dblock_acquire_options *options)
{
	struct patient p = {.client = client, .name = name, .options = *options};
	struct dblock_lock *lock = in_turns(client, name);
	struct raw *raw = raw_open(NULL);
	struct crew crew = {.n = 0};

	crew_add(&crew, wants_it_so, &p);
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_queue WHERE name = '%s'", name) == 1);
	assert_int_equal(in_memory(client, name), 0);
	give(lock);
	crew_join(&crew);
	assert_int_equal(p.rc, DBLOCK_OK);
	give(p.lock);
	raw_close(raw);
}

static void who_wants_more_than_that_asks_the_database(void **state)
{
	static const char *const names[] = {"lease",  "least", "value", "owner",
					    "shared", "told",  "unfair"};
	enum { WISHES = sizeof(names) / sizeof(names[0]) };
	struct dblock_acquire_options specs[WISHES];
	struct spy *spy = spy_new();
	struct dblock_client *client = in_still_time(spy, 0);

	(void)state;
	for (int i = 0; i < WISHES; i++)
		specs[i] = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
	specs[0].lease_ms = 600000;
	specs[1].at_least_ms = 1;
	specs[2].value = "v";
	specs[3].owner = 7;
	specs[4].mode = DBLOCK_SHARED;
	specs[5].waiting = on_waiting;
	specs[6].unfair = 1;
	for (int i = 0; i < WISHES; i++)
		is_not_for_turns(client, names[i], &specs[i]);
	still_time_ends(spy, client);
}

static int gives_up(void *arg)
{
	return *(_Atomic int *)arg;
}

/* One thread asks the database for all that wait in memory. It gives up, and the next one asks in
 * its place. Naive: nobody asks until somebody has waited too long. */
static void who_asks_is_followed(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = in_still_time(spy, 0), *other = client_new(0);
	struct patient p = {.client = client, .name = "x", .options = DBLOCK_ACQUIRE_OPTIONS_INIT};
	struct dblock_lock *lock = take(other, "x");
	struct raw *raw = raw_open(NULL);
	struct crew crew = {.n = 0};
	struct waiting next;
	_Atomic int now = 0;

	(void)state;
	p.options.canceled = gives_up;
	p.options.canceled_arg = &now;
	crew_add(&crew, wants_it_so, &p);
	wait_until(in_queue(raw) == 1);
	waits_in_memory(&next, client, "x");
	now = 1;
	spy->skew += 200000; /* the time after which it is asked */
	crew_join(&crew);
	assert_int_equal(p.rc, DBLOCK_CANCELED);
	wait_until(in_memory(client, "x") == 0);
	give(lock);
	give(waiting_join(&next));
	raw_close(raw);
	dblock_close(other, NULL);
	still_time_ends(spy, client);
}

/* ---- what is not passed on ------------------------------------------------------------------- */

/* Naive: the first of two releases passes the grant on. */
static void what_was_entered_again_is_given_back_twice(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = in_still_time(spy, 0);
	struct dblock_error err = {0};
	struct dblock_lock *lock, *again;
	struct waiting next;

	(void)state;
	expect(OK, dblock_acquire(client, "x", NULL, &lock, &err));
	waits_in_memory(&next, client, "x");
	expect(OK, dblock_acquire(client, "x", NULL, &again, &err));
	assert_ptr_equal(again, lock);
	give(again);
	assert_int_equal(in_memory(client, "x"), 1);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	give(waiting_join(&next));
	still_time_ends(spy, client);
}

/* Naive: the next thread gets a lock that is already released in the database. */
static void what_a_transaction_has_released_is_not_passed_on(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock = in_turns(a, "x");
	struct raw *raw = raw_open(NULL);
	struct waiting next;
	struct dblock_tx *tx;

	(void)state;
	waits_in_memory(&next, a, "x");
	tx = tx_begin(a);
	expect(OK, dblock_fence_to_release(tx, lock, &err));
	expect(OK, dblock_tx_release(tx, lock, &err));
	tx_commit(tx);
	give(lock);
	lock = waiting_join(&next);
	assert_int_equal(raw_int(raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"),
			 lock->grant.nonce);
	busy(b, "x");
	give(lock);
	is_free(b, "x");
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The value belongs to the holder, not to the next thread. */
static void what_it_has_proclaimed_is_not_passed_on(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = in_turns(a, "x");
	struct dblock_error err = {0};
	struct waiting next;

	(void)state;
	waits_in_memory(&next, a, "x");
	expect(OK, dblock_proclaim(lock, "mine", &err));
	assert_string_equal(show(b, "x").value, "mine");
	give(lock);
	lock = waiting_join(&next);
	assert_string_equal(show(b, "x").value, "");
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- broken ---------------------------------------------------------------------------------- */

/* The lock is held in turns, two threads wait in memory, turns are left, and no time passes: it is
 * passed on unless somebody says that it was broken. */
struct broken {
	struct spy *spy;
	struct dblock_client *holder;
	struct dblock_lock *lock;
	struct waiting next[2];
	int64_t token; /* the token that others see */
};

static void to_be_broken(struct broken *b)
{
	b->spy = spy_new();
	b->holder = in_still_time(b->spy, 0);
	b->lock = in_turns(b->holder, "x");
	b->token = dbl_row_token(b->lock);
	for (int i = 0; i < 2; i++)
		waits_in_memory(&b->next[i], b->holder, "x");
}

/* The first of them asks the database; the broken grant is passed on to nobody. */
static void goes_to_nobody(struct broken *b)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	wait_until(in_memory(b->holder, "x") == 1);
	lock = waiting_join(&b->next[0]);
	assert_true(dblock_token(lock) > b->token);
	assert_false(b->next[1].done);
	expect(LOST, dblock_release(b->lock, &err));
	assert_false(b->next[1].done);
	give(lock);
	lock = waiting_join(&b->next[1]);
	assert_true(dblock_token(lock) > b->token);
	give(lock);
	still_time_ends(b->spy, b->holder);
}

/* Naive: the grant goes from thread to thread until somebody asks the database. */
static void who_breaks_it_tells_its_holder(void **state)
{
	struct dblock_client *other = client_new(0);
	struct dblock_error err = {0};
	struct broken b;

	(void)state;
	to_be_broken(&b);
	expect(OK, break_by_force(other, "x", 0, 0, &err));
	goes_to_nobody(&b);
	to_be_broken(&b);
	expect(OK, break_by_force(other, "x", b.token, 0, &err));
	goes_to_nobody(&b);
	to_be_broken(&b);
	expect(OK, break_by_force(b.holder, "x", b.token, 0, &err));
	goes_to_nobody(&b);
	dblock_close(other, NULL);
}

/* Nobody could tell the client, so its heartbeat does. */
static void a_heartbeat_sees_what_is_broken(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *other;
	struct dblock_error err = {0};
	struct dblock_lock *theirs;
	struct dbl_locks *locks;
	struct broken b;

	(void)state;
	options.timeout_ms = PLENTY_MS;
	TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET);
	options.auto_migrate = 1;
	other = client_with(&options);
	to_be_broken(&b);
	locks = b.holder->locks;
	expect(OK, break_by_force(other, "x", 0, 0, &err));
	/* Somebody else has the lock by now. */
	theirs = take(other, "x");
	assert_false(is_wanted(b.holder, "x"));
	dbl_local_look(locks, locks->link, dbl_locks_deadline(locks));
	assert_true(is_wanted(b.holder, "x"));
	b.spy->frozen_at = 0; /* the thread has to look, as nobody can tell it */
	give(theirs);
	goes_to_nobody(&b);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_suspects_a_deadlock_sooner_goes_sooner),
		cmocka_unit_test(who_wants_more_than_that_asks_the_database),
		cmocka_unit_test(who_asks_is_followed),
		cmocka_unit_test(what_was_entered_again_is_given_back_twice),
		cmocka_unit_test(what_a_transaction_has_released_is_not_passed_on),
		cmocka_unit_test(what_it_has_proclaimed_is_not_passed_on),
		cmocka_unit_test(who_breaks_it_tells_its_holder),
		cmocka_unit_test(a_heartbeat_sees_what_is_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
