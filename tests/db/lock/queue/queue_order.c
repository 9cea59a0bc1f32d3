/* SPDX-License-Identifier: MIT */
/*
 * The order of the queue: first come, first served; nobody barges who was not told to, the dead are
 * never granted the lock, and nobody is forgotten. Each case names the naive form that it is meant
 * to catch.
 */
#include "db/lock/queue/queue_kit.h"
#include "lock/lock.h"

/* Naive: the hand-over takes the largest ticket; a try, or an acquire, checks only whether the lock
 * is held. */
static void first_come_first_served(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_client *clients[] = {s->b, s->c, s->b};
	int64_t token = dblock_token(lock);
	struct waiting w[3];

	memset(w, 0, sizeof(w));
	for (int i = 0; i < 3; i++)
		waiting_join(&w[i], clients[i], s->raw);
	busy(s->c, "x");
	give(lock);
	for (int i = 0; i < 3; i++) {
		waiting_end(&w[i], OK);
		for (int j = i + 1; j < 3; j++)
			assert_false(w[j].call.done);
		assert_true(dblock_token(w[i].lock) > token);
		token = dblock_token(w[i].lock);
		busy(s->a, "x");
		give(w[i].lock);
	}
	assert_true(is_free(s->a, "x") > token);
}

static struct dblock_lock *unfair(struct dblock_client *client)
{
	struct dbl_acquire_spec spec = {.name = "x", .unfair = true, .wait_until = DBL_NEVER};
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dbl_lock_try(client->locks, &spec, &lock, &err));
	return lock;
}

/* Frees the lock though somebody waits: as after a hand-over whose client died half way. */
static void free_by_hand(struct scene *s)
{
	raw_exec(s->raw, "UPDATE dblock_lock SET session = NULL, expires = NULL, nonce = 0"
			 " WHERE name = 'x'");
	assert_int_equal(in_queue(s->raw), 1);
}

/* Naive: the acquire does not check `queued`; or a try only returns BUSY. */
static void a_try_gives_a_free_lock_to_who_waits(void **state)
{
	struct scene *s = *state;

	struct dblock_lock *lost = take(s->a, "x");

	puppet_queues(s->puppet, "x");
	free_by_hand(s);
	busy(s->b, "x");
	assert_true(row_of(s->raw, "nonce") == s->puppet->place);
	assert_int_equal(dblock_release(lost, NULL), DBLOCK_LOST);
	assert_true(puppet_gives_back(s->puppet, "x"));
	is_free(s->b, "x");
}

/* Naive: barging clears the queue. */
static void barging_leaves_the_queue_as_it_is(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lost = take(s->a, "x"), *lock;

	puppet_queues(s->puppet, "x");
	free_by_hand(s);
	lock = unfair(s->b);
	assert_int_equal(dblock_release(lost, NULL), DBLOCK_LOST);
	assert_int_equal(in_queue(s->raw), 1);
	give(lock);
	assert_true(row_of(s->raw, "nonce") == s->puppet->place);
	assert_true(puppet_gives_back(s->puppet, "x"));
}

/* Barging does not get a lock that is held. */
static void barging_takes_nothing_from_a_holder(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x"), *none;
	struct dbl_acquire_spec spec = {.name = "x", .unfair = true, .wait_until = DBL_NEVER};
	struct dblock_error err = {0};

	expect(BUSY, dbl_lock_try(s->b->locks, &spec, &none, &err));
	assert_true(dblock_valid(lock, 0));
	give(lock);
}

/* ---- who looks dead, and who is -------------------------------------------------------------- */

static void look_expired(struct scene *s, const char *id, bool expired)
{
	raw_exec(s->raw, "UPDATE dblock_session SET expires = {boot} %s WHERE id = '%s'",
		 expired ? "- 1000000" : "+ 86400000000", id);
}

/* Naive: the smallest ticket, whatever its session looks like. */
static void who_looks_expired_is_passed_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};

	puppet_queues(s->puppet, "x");
	waiting_join(&w, s->b, s->raw);
	look_expired(s, s->puppet->id, true);
	give(lock);
	waiting_end(&w, OK);
	/* Its row is not removed: only its client does that, or the reaper once the session is
	 * dead. */
	assert_int_equal(raw_int(s->raw,
				 "SELECT count(*) FROM dblock_queue WHERE ticket = %lld"
				 " AND name = 'x'",
				 (long long)s->puppet->ticket),
			 1);
	look_expired(s, s->puppet->id, false);
	puppet_dequeue(s->puppet, "x");
	puppet_queues(s->puppet, "x");
	give(w.lock);
	assert_true(row_of(s->raw, "nonce") == s->puppet->place);
	assert_true(puppet_gives_back(s->puppet, "x"));
}

/* Naive: a waiter checks only whether its row is there, not whether it was passed over. */
static void who_was_passed_over_joins_anew(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};
	char id[64];

	waiting_join(&w, s->b, s->raw);
	snprintf(id, sizeof(id), "%s", raw_text(s->raw, "SELECT session FROM dblock_queue"));
	puppet_queues(s->puppet, "x");
	look_expired(s, id, true);
	give(lock);
	assert_true(row_of(s->raw, "nonce") == s->puppet->place);
	look_expired(s, id, false);
	until_true(in_queue(s->raw) == 1);
	assert_false(w.call.done);
	assert_true(puppet_gives_back(s->puppet, "x"));
	waiting_give(&w);
}

/* Naive: all are passed over, and the lock stays free. */
static void if_all_look_expired_the_first_has_it(void **state)
{
	struct scene *s = *state;
	struct puppet *late = puppet_new(NULL, 1), *later = puppet_new(NULL, 1);
	struct dblock_lock *lock = take(s->a, "x");

	puppet_queues(late, "x");
	puppet_queues(later, "x");
	sleep_ms(5);
	give(lock);
	assert_true(row_of(s->raw, "nonce") == late->place);
	puppet_free(late);
	puppet_free(later);
}

/* Naive: a hand-over that does not check whether the session is dead. */
static void the_dead_are_never_served(void **state)
{
	struct scene *s = *state;
	struct puppet *dead = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	struct dblock_lock *lock = take(s->a, "x");
	struct dblock_error err = {0};

	puppet_queues(dead, "x");
	assert_true(puppet_is_dead(dead, dead->beat, dead->ttl));
	give(lock);
	assert_int_equal(row_of(s->raw, "nonce"), 0);
	assert_int_equal(rows_in_queue(s->raw), 1);
	is_free(s->b, "x");
	expect(OK, dblock_reap(s->b, NULL, NULL, &err));
	assert_int_equal(rows_in_queue(s->raw), 0);
	puppet_free(dead);
}

/* ---- re-entry -------------------------------------------------------------------------------- */

/* Naive: whoever finds a queue gets BUSY. */
static void re_entry_is_not_for_the_queue(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};

	waiting_join(&w, s->b, s->raw);
	assert_ptr_equal(take(s->a, "x"), lock);
	give(lock);
	assert_false(w.call.done);
	give(lock);
	waiting_give(&w);
}

/* Two calls of one owner wait, and one gets the lock: so the other one has it, too. Naive: the
 * other's row stays in the queue, and has the lock next. */
static void a_waiter_re_enters_and_leaves_the_queue(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting first = {.how.owner = 7}, second = {.how.owner = 7}, other = {.lock = NULL};

	waiting_join(&first, s->b, s->raw);
	waiting_join(&second, s->b, s->raw);
	waiting_join(&other, s->c, s->raw);
	give(lock);
	waiting_end(&first, OK);
	waiting_end(&second, OK);
	assert_ptr_equal(first.lock, second.lock);
	until_true(in_queue(s->raw) == 1);
	give(second.lock);
	assert_false(other.call.done);
	busy(s->a, "x");
	give(first.lock);
	waiting_give(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(first_come_first_served),
		CASE(a_try_gives_a_free_lock_to_who_waits),
		CASE(barging_leaves_the_queue_as_it_is),
		CASE(barging_takes_nothing_from_a_holder),
		CASE(who_looks_expired_is_passed_over),
		CASE(who_was_passed_over_joins_anew),
		CASE(if_all_look_expired_the_first_has_it),
		CASE(the_dead_are_never_served),
		CASE(re_entry_is_not_for_the_queue),
		CASE(a_waiter_re_enters_and_leaves_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
