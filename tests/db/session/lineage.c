/* SPDX-License-Identifier: MIT */
/* One history: a client beats only for a row that has a beat of its own, not older than the last
 * that was acknowledged. An older copy of the database, another branch of it, and a copy of the
 * client itself get nothing; a failover that has lost the last beats is gone along with. */
#include <inttypes.h>

#include "api/client.h"
#include "lock/handle/lock.h"
#include "session/internal.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

struct scene {
	struct spy *spy;
	struct dblock_client *client;
	struct dblock_lock *lock;
	struct raw *raw;
	char id[33];
	int64_t first; /* an early beat of the session */
};

static int64_t beat_of(const struct scene *s)
{
	return raw_int(s->raw, "SELECT beat FROM dblock_session WHERE id = '%s'", s->id);
}

static int64_t deadline_of(const struct scene *s)
{
	return dbl_validity_end_of(&s->lock->grant.epoch->validity);
}

static int64_t answered_at(const struct scene *s)
{
	struct dbl_session *session = s->client->locks->session;
	int64_t at;

	dbl_lock(&session->mutex);
	at = session->clock.after;
	dbl_unlock(&session->mutex);
	return at;
}

/* A heartbeat that is answered. */
static void beat(const struct scene *s)
{
	int64_t before = answered_at(s);

	dbl_session_hurry(s->client->locks->session);
	wait_until(answered_at(s) != before);
}

/* Two that may be refused, or lost. */
static void try_to_beat(const struct scene *s)
{
	for (int i = 0; i < 2; i++) {
		int before = s->spy->runs_of[DBL_OP_heartbeat];

		dbl_session_hurry(s->client->locks->session);
		wait_until(s->spy->runs_of[DBL_OP_heartbeat] > before);
	}
}

static struct scene begin(void)
{
	struct scene s = {.spy = spy_new(), .raw = raw_open(NULL)};

	s.client = spy_client(s.spy, 600000);
	s.lock = take(s.client, "x");
	memcpy(s.id, s.lock->grant.epoch->id, sizeof(s.id));
	s.first = beat_of(&s);
	beat(&s);
	beat(&s);
	assert_true(beat_of(&s) > s.first);
	return s;
}

static void end(struct scene *s, int outcome)
{
	struct dblock_error err = {0};

	assert_int_equal(dblock_release(s->lock, &err), outcome);
	dblock_close(s->client);
	raw_close(s->raw);
	spy_free(s->spy);
}

static bool has_trouble(const struct scene *s, const char *says)
{
	char text[DBL_TROUBLE_MAX] = "";

	dbl_session_trouble(s->client->locks->session, s->lock->grant.epoch, text);
	return strstr(text, says) != NULL;
}

static void set_beat(const struct scene *s, int64_t beat)
{
	raw_exec(s->raw, "UPDATE dblock_session SET beat = %" PRId64 " WHERE id = '%s'", beat,
		 s->id);
}

/* What the row had some beats ago, as after a restore, or on a former primary. */
static void go_back(const struct scene *s)
{
	set_beat(s, s->first);
}

/* The database has another newest history than the client has read. */
static void another_history(const struct scene *s, int id)
{
	raw_exec(s->raw,
		 "UPDATE dblock_history SET id = '%032d' WHERE n ="
		 " (SELECT n FROM (SELECT max(n) AS n FROM dblock_history) AS m)",
		 id);
}

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

/* Not to a try, nor to a wait, in no mode. Naive: a session that is not dead may be granted a lock. */
static void an_older_copy_grants_nothing(void **state)
{
	struct dblock_acquire_options a_while = DBLOCK_ACQUIRE_OPTIONS_INIT,
				      shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct scene s = begin();
	struct dblock_lock *lock;
	int64_t beat = beat_of(&s);

	(void)state;
	a_while.wait_ms = shared.wait_ms = 500;
	shared.mode = DBLOCK_SHARED;
	s.client->locks->timeout = 1000000;
	go_back(&s);
	expect(E_UNAVAILABLE, dblock_try(s.client, "y", NULL, &lock, &err));
	assert_non_null(strstr(err.message, "older copy"));
	expect(TIMEOUT, dblock_acquire(s.client, "y", &a_while, &lock, &err));
	/* MySQL's server counts the tickets, and so its queue is joined by a statement that reads no
	 * other row: its first look is after the grant there. */
	if (!on_backend("mysql"))
		expect(TIMEOUT, dblock_acquire(s.client, "y", &shared, &lock, &err));
	assert_int_equal(raw_int(s.raw, "SELECT count(*) FROM dblock_lock WHERE name = 'y'"
					" AND session IS NOT NULL"),
			 0);
	set_beat(&s, beat);
	s.client->locks->timeout = PLENTY_MS * INT64_C(1000);
	give(take(s.client, "y"));
	end(&s, DBLOCK_OK);
}

/* The same rows, and a history that goes on from the one that the client knows. */
/* The client goes on with other connections, and a former primary, where it has waited, is still at
 * work: there somebody grants it the lock, and tells it so. Naive: the word of it is enough. */
static void what_a_former_primary_grants_is_looked_at(void **state)
{
	struct scene s = begin();
	struct dblock_client *holder = client_new(600000);
	int64_t beat = beat_of(&s);
	struct waiting w;

	(void)state;
	give(s.lock);
	s.lock = take(holder, "x");
	waiting_start(&w, s.client, "x");
	wait_until(in_queue(s.raw) == 1 && spy_snapshots(s.spy) > 0);
	dbl_link_drop(s.client->locks->link);
	go_back(&s);
	give(s.lock);
	sleep_ms(300);
	assert_false(w.done);
	set_beat(&s, beat);
	s.lock = waiting_join(&w);
	dblock_close(holder);
	end(&s, DBLOCK_OK);
}

static void begin_history(const struct scene *s, int id)
{
	raw_exec(s->raw,
		 "INSERT INTO dblock_history (n, id, facts, since)"
		 " SELECT n + 1, '%032d', facts, since FROM dblock_history"
		 " WHERE n = (SELECT max(n) FROM dblock_history)",
		 id);
}

static void a_failover_is_gone_along_with(void **state)
{
	struct scene s = begin();
	int64_t until = deadline_of(&s);

	(void)state;
	go_back(&s);
	begin_history(&s, 1);
	beat(&s);
	assert_true(deadline_of(&s) > until);
	assert_true(beat_of(&s) > s.first);
	assert_true(dblock_valid(s.lock, 0));
	end(&s, DBLOCK_OK);
}

static enum spy_fate lose_each_look(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_session_dead ? SPY_LOST_AFTER : SPY_PASS;
}

/* The history was read, and the row was not, until no time was left: it is still the failover.
 * Naive: the next heartbeat knows the history, and takes the row for an older copy's. */
static void a_failover_that_is_cut_short(void **state)
{
	struct scene s = begin();
	struct dbl_session *session = s.client->locks->session;
	int64_t timeout = session->options.timeout;

	(void)state;
	go_back(&s);
	begin_history(&s, 3);
	session->options.timeout = 300000;
	s.spy->fate = lose_each_look;
	try_to_beat(&s);
	session->options.timeout = timeout;
	s.spy->fate = NULL;
	beat(&s);
	assert_true(dblock_valid(s.lock, 0));
	end(&s, DBLOCK_OK);
}

/* What the failover has lost is found at once, not when it is released. */
static void what_it_lost_is_told(void **state)
{
	struct scene s = begin();

	(void)state;
	go_back(&s);
	raw_exec(s.raw, "DELETE FROM dblock_lock WHERE name = 'x'");
	begin_history(&s, 2);
	try_to_beat(&s);
	wait_until(!dblock_valid(s.lock, 0));
	give(take(s.client, "y"));
	end(&s, DBLOCK_LOST);
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
		cmocka_unit_test(what_a_former_primary_grants_is_looked_at),
		cmocka_unit_test(a_failover_is_gone_along_with),
		cmocka_unit_test(a_failover_that_is_cut_short),
		cmocka_unit_test(what_it_lost_is_told),
		cmocka_unit_test(another_branch_is_refused_by_name),
		cmocka_unit_test(so_it_is_on_a_new_connection),
		cmocka_unit_test(a_restored_database_is_lived_in),
		cmocka_unit_test(a_copy_of_ourselves_gets_nothing),
		cmocka_unit_test(a_lost_answer_is_made_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
