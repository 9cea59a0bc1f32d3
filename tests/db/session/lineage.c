/* SPDX-License-Identifier: MIT */
/* One history: a client beats only for a row that has a beat of its own, not older than the last
 * that was acknowledged. An older copy of the database, another branch of it, and a copy of the
 * client itself get nothing. */
#include "db/session/lineage_kit.h"
#include "support/puppet.h"

/* Naive: to beat for a row whose beat is not larger than the next one. */
static void an_older_copy_is_not_beaten_for(void **state)
{
	struct scene s = begin();
	int64_t until;

	(void)state;
	go_back(&s);
	try_to_beat(&s);
	wait_until(has_trouble(&s, "older copy"));
	until = deadline_of(&s);
	try_to_beat(&s);
	assert_int_equal(beat_of(&s), s.first);
	assert_true(deadline_of(&s) == until);
	assert_true(dblock_valid(s.lock, 0)); /* until the last deadline */

	s.spy->skew = 700000000;
	wait_until(raw_int(s.raw, "SELECT count(*) FROM dblock_session WHERE id <> '%s'", s.id) >
		   0);
	assert_false(dblock_valid(s.lock, 0));
	end(&s, DBLOCK_LOST);
}

/* A look may be the first that a loaded machine does not answer in time. */
static void nothing_is_granted(int rc)
{
	if (rc != DBLOCK_TIMEOUT && rc != DBLOCK_E_NO_ANSWER && rc != DBLOCK_E_UNAVAILABLE)
		fail_msg("%s", dblock_outcome_name(rc));
}

/* Tries until it is told why it gets nothing. */
static void is_told_why(struct dblock_client *client)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	do
		nothing_is_granted(dblock_try(client, "y", NULL, &lock, &err));
	while (!strstr(err.message, "older copy") && clock_ms() < until);
	assert_non_null(strstr(err.message, "older copy"));
}

/* Not to a try, nor to a wait, in no mode. Naive: a session that is not dead may be granted a lock. */
static void an_older_copy_grants_nothing(void **state)
{
	struct dblock_acquire_options a_while = DBLOCK_ACQUIRE_OPTIONS_INIT,
				      shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	const struct dblock_lock_spec wants[] = {{.name = "y"}, {.name = "z"}};
	struct dblock_error err = {0};
	struct scene s = begin();
	struct dblock_lock *lock;
	int64_t beat = beat_of(&s);

	(void)state;
	a_while.wait_ms = shared.wait_ms = 500;
	shared.mode = DBLOCK_SHARED;
	s.client->locks->timeout = SLOWLY_MS(1000) * 1000; /* no other thread reads it yet */
	go_back(&s);
	is_told_why(s.client);
	nothing_is_granted(dblock_acquire(s.client, "y", &a_while, &lock, &err));
	nothing_is_granted(dblock_acquire(s.client, "y", &shared, &lock, &err));
	nothing_is_granted(dblock_acquire_all(s.client, wants, 2, &a_while, &lock, &err));
	assert_int_equal(raw_int(s.raw, "SELECT count(*) FROM dblock_lock WHERE name = 'y'"
					" AND session IS NOT NULL"),
			 0);
	set_beat(&s, beat);
	wait_until(dblock_try(s.client, "y", NULL, &lock, &err) == DBLOCK_OK);
	expect(OK, dblock_release(lock, &err));
	end(&s, DBLOCK_OK);
}

static struct scene at_hand_over; /* has a connection of its own */
static _Atomic int looks;

/* The connection is lost as the wait hands the lock to itself, and the next one leads to an older
 * copy. */
static enum spy_fate goes_back_then(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_hand_over || spy->runs_of[op] > 1)
		return SPY_PASS;
	go_back(&at_hand_over);
	looks = spy->runs_of[DBL_OP_look];
	return SPY_LOST_BEFORE;
}

/* Naive: the wait believes what it has granted itself there. */
static void nor_does_it_hand_over(void **state)
{
	struct scene s = begin();
	struct puppet *puppet = puppet_new(NULL, PLENTY_MS);
	int64_t beat = beat_of(&s);
	struct waiting w;

	(void)state;
	at_hand_over = s;
	at_hand_over.raw = raw_open(NULL);
	assert_true(puppet_takes(puppet, "y"));
	waiting_start(&w, s.client, "y");
	wait_until(in_queue(s.raw) == 1);
	s.spy->fate = goes_back_then;
	raw_exec(s.raw, "UPDATE dblock_session SET dead = true, ended = {now} WHERE id = '%s'",
		 puppet->id);
	wait_until(w.done || (looks && s.spy->runs_of[DBL_OP_look] > looks));
	assert_false(w.done);
	set_beat(&s, beat);
	give(waiting_join(&w));
	puppet_free(puppet);
	raw_close(at_hand_over.raw);
	end(&s, DBLOCK_OK);
}

static void another_branch_is_refused_by_name(void **state)
{
	struct scene s = begin();
	int64_t until;

	(void)state;
	another_history(&s, 7);
	go_back(&s);
	try_to_beat(&s);
	wait_until(has_trouble(&s, "another branch"));
	until = deadline_of(&s);
	try_to_beat(&s);
	assert_true(deadline_of(&s) == until);
	end(&s, DBLOCK_OK);
}

/* The row is as it was left, since two servers may have gone on from there: what was acknowledged on
 * one of them says nothing of the other. Naive: to look at the beat alone. */
static void so_it_is_on_a_new_connection(void **state)
{
	struct scene s = begin();
	int64_t until;

	(void)state;
	another_history(&s, 8);
	dbl_link_drop(s.client->locks->session->link);
	try_to_beat(&s);
	wait_until(has_trouble(&s, "another branch"));
	until = deadline_of(&s);
	try_to_beat(&s);
	assert_true(deadline_of(&s) == until);
	end(&s, DBLOCK_OK);
}

/* A restored backup is the database from now on, once all that was held is over. Naive: it is refused
 * for ever, as it does not have the history that the client knew. */
static void a_restored_database_is_lived_in(void **state)
{
	struct scene s = begin();

	(void)state;
	another_history(&s, 9);
	dbl_link_drop(s.client->locks->session->link);
	try_to_beat(&s);
	wait_until(has_trouble(&s, "another branch"));
	s.spy->skew = 700000000;
	wait_until(raw_int(s.raw, "SELECT count(*) FROM dblock_session WHERE id <> '%s'", s.id) >
		   0);
	assert_false(dblock_valid(s.lock, 0));
	for (int i = 0; i < 2; i++) {
		dbl_link_drop(s.client->locks->session->link);
		beat(&s);
	}
	give(take(s.client, "y"));
	end(&s, DBLOCK_LOST);
}

/* A copy of this process, or of its machine, has sent a beat. Naive: a beat that grows by one is the
 * copy's as well as ours. */
static void a_copy_of_ourselves_gets_nothing(void **state)
{
	struct scene s = begin();

	(void)state;
	raw_exec(s.raw, "UPDATE dblock_session SET beat = beat + 1 WHERE id = '%s'", s.id);
	try_to_beat(&s);
	wait_until(!dblock_valid(s.lock, 0));
	/* That one goes on. */
	give(take(s.client, "y"));
	assert_int_equal(raw_int(s.raw,
				 "SELECT count(*) FROM dblock_session WHERE id = '%s'"
				 " AND NOT dead",
				 s.id),
			 1);
	end(&s, DBLOCK_LOST);
}

/* Sent and carried out, and the answer was lost: the next one is not taken for a copy's. */
static enum spy_fate lose_answers(struct spy *spy, enum dbl_op op)
{
	return op == DBL_OP_heartbeat && spy->runs_of[op] % 2 ? SPY_LOST_AFTER : SPY_PASS;
}

static void a_lost_answer_is_made_good(void **state)
{
	struct scene s = begin();
	int64_t until = deadline_of(&s);

	(void)state;
	s.spy->fate = lose_answers;
	for (int i = 0; i < 6; i++)
		try_to_beat(&s);
	s.spy->fate = NULL;
	beat(&s);
	assert_true(deadline_of(&s) > until);
	assert_string_equal(s.lock->grant.epoch->id, s.id);
	end(&s, DBLOCK_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_copy_is_not_beaten_for),
		cmocka_unit_test(an_older_copy_grants_nothing),
		cmocka_unit_test(nor_does_it_hand_over),
		cmocka_unit_test(another_branch_is_refused_by_name),
		cmocka_unit_test(so_it_is_on_a_new_connection),
		cmocka_unit_test(a_restored_database_is_lived_in),
		cmocka_unit_test(a_copy_of_ourselves_gets_nothing),
		cmocka_unit_test(a_lost_answer_is_made_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
