/* SPDX-License-Identifier: MIT */
/* A failover that has lost the last beats: the client goes on with the database that has taken over,
 * and takes nothing of the former primary's for granted. */
#include "db/session/lineage_kit.h"

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
	dblock_close(holder, NULL);
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

/* The same rows, and a history that goes on from the one that the client knows. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_former_primary_grants_is_looked_at),
		cmocka_unit_test(a_failover_is_gone_along_with),
		cmocka_unit_test(a_failover_that_is_cut_short),
		cmocka_unit_test(what_it_lost_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
