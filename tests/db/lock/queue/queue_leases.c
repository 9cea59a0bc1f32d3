/* SPDX-License-Identifier: MIT */
/* Leases and minimum holds while somebody waits: a lock whose time is over goes to the first in the
 * queue, whoever notices; and a lease that is handed over counts from then on. */
#include "db/lock/queue/queue_kit.h"
#include "lock/notify/notifier.h"

#define SOON_MS SLOWLY_MS(300)

/* ---- a hold that has ended ------------------------------------------------------------------- */

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

/* Naive: a try takes a lock whose lease has ended for itself. */
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

/* A lock that is released before its minimum hold is over stays taken until then, and then goes to
 * the queue. */
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

/* The waiters look when the end is due. Naive: they look once a second. */
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
		/* In one play the lease ends by itself, and then its handle is of no use. */
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

/* ---- a lease that is handed over ------------------------------------------------------------- */

/* The holder must not believe in more time than the database still gives, which is read later. */
static void promises_no_more(struct scene *s, struct dblock_lock *lock)
{
	int64_t before = clock_ms(), ours = dblock_remaining_ms(lock);
	int64_t theirs = row_of(s->raw, "expires - {boot}") / 1000;

	assert_true(ours <= theirs + (clock_ms() - before) + 1);
}

/* The lock is granted without the holder's knowledge, who is told later, or never. Naive: the lease
 * counts from the wake-up, or from the look that found it. */
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
		looks = spy_snapshots(spy);
		waiting_join(&w, client, s->raw);
		until_true(spy_snapshots(spy) > looks);
		sleep_ms(20);
		s->puppet->place = raw_int(s->raw, "SELECT nonce FROM dblock_queue");
		assert_true(puppet_hands_over(s->puppet, "x").done);
		begun = clock_ms();
		while (!w.call.done && clock_ms() - begun < late)
			sleep_ms(2);
		if (!w.call.done)
			dbl_notifier_tell_own(client->locks, s->puppet->place,
					      row_of(s->raw, "token"), DBL_WAY_THREAD);
		waiting_end(&w, OK);
		promises_no_more(s, w.lock);
		(void)dblock_release(w.lock, NULL);
		dblock_close(client, NULL);
		spy_free(spy);
		(void)puppet_gives_back(s->puppet, "x");
	}
}

/* The lock was handed over by who had read the clock, and then waited for its row while the waiter
 * looked. Naive: the lease counts from when the waiter last saw that it had to wait. */
static void a_lease_counts_from_when_the_clock_was_read(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct waiting w = {.how.lease_ms = 8000};
	int looks = spy_snapshots(spy);

	assert_true(puppet_takes(s->puppet, "x"));
	waiting_join(&w, client, s->raw);
	until_true(spy_snapshots(spy) > looks);
	s->puppet->place = raw_int(s->raw, "SELECT nonce FROM dblock_queue");
	raw_exec(s->raw,
		 "UPDATE dblock_lock SET token = token + 1, nonce = %lld, session = NULL,"
		 " lease = 8000000, expires = {boot} + 7000000,"
		 " served = (SELECT max(ticket) FROM dblock_queue) WHERE name = 'x'",
		 (long long)s->puppet->place);
	dbl_notifier_tell_own(client->locks, s->puppet->place, row_of(s->raw, "token"),
			      DBL_WAY_THREAD);
	waiting_end(&w, OK);
	promises_no_more(s, w.lock);
	give(w.lock);
	dblock_close(client, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_reaper_hands_over_what_has_ended),
		CASE(a_try_hands_over_what_has_ended),
		CASE(the_end_of_a_minimum_hold_hands_over),
		CASE(who_waits_takes_what_has_ended),
		CASE(a_lease_counts_from_the_hand_over),
		CASE(a_lease_counts_from_when_the_clock_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
