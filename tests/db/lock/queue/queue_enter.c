/* SPDX-License-Identifier: MIT */
/* The usual case of an acquire in a mode that several may hold, enter: it does what line, enqueue and grant
 * would do, or nothing. */
#include "db/lock/queue/queue_enter_kit.h"

/* Nothing was written. */
static void does_not_enter(struct scene *s, enum dblock_mode mode)
{
	int64_t version = row_of(s->raw, "queue_version"), token = row_of(s->raw, "token");
	int64_t rows = rows_in_queue(s->raw);

	assert_false(enters(s->next, mode));
	assert_true(row_of(s->raw, "queue_version") == version);
	assert_true(row_of(s->raw, "token") == token);
	assert_true(rows_in_queue(s->raw) == rows);
}

static void it_has_the_lock(void **state)
{
	struct scene *s = *state;
	int64_t version = row_of(s->raw, "queue_version"), token = row_of(s->raw, "token");
	struct puppet_winner winner;

	if (enters_never())
		return;
	winner = puppet_enters(s->holder, "x", DBLOCK_SHARED, 1, 0);
	assert_true(winner.done && winner.token > token);
	assert_true(row_of(s->raw, "token") == winner.token);
	assert_int_equal(row_of(s->raw, "mode"), 1);
	assert_int_equal(row_of(s->raw, "queue_version"), version + 1);
	assert_true(raw_int(s->raw, "SELECT token FROM dblock_queue WHERE nonce = %lld",
			    (long long)s->holder->place) == winner.token);
	assert_string_equal(raw_text(s->raw, "SELECT host FROM dblock_queue"), "puppet");
	assert_int_equal(raw_int(s->raw, "SELECT pid FROM dblock_queue"), 1);
	/* Nobody else can have it alone. */
	assert_false(puppet_takes(s->next, "x"));
}

/* The table of grant_policy.h. */
static void who_goes_together(void **state)
{
	static const bool together[4][4] = {
		[DBLOCK_SHARED] = {[DBLOCK_SHARED] = true, [DBLOCK_UPDATE] = true},
		[DBLOCK_UPDATE] = {[DBLOCK_SHARED] = true},
	};
	struct scene *s = *state;

	for (int held = 0; !enters_never() && held < 4; held++) {
		for (int wanted = DBLOCK_SHARED; wanted <= DBLOCK_UPDATE; wanted++) {
			assert_true(enters(s->holder, DBLOCK_SHARED));
			raw_exec(s->raw, "UPDATE dblock_queue SET mode = %d, capacity = %s", held,
				 held == DBLOCK_PERMITS ? "3" : "NULL");
			if (!together[held][wanted])
				does_not_enter(s, (enum dblock_mode)wanted);
			else
				assert_true(enters(s->next, (enum dblock_mode)wanted));
			clear_away(s);
		}
	}
}

static void permits_up_to_the_capacity(void **state)
{
	struct scene *s = *state;

	if (enters_never())
		return;
	assert_false(gets(s->holder, 4, 3));
	assert_true(gets(s->holder, 1, 3));
	assert_true(gets(s->waiter, 1, 3));
	assert_false(gets(s->next, 2, 3));
	assert_false(gets(s->next, 1, 4));
	does_not_enter(s, DBLOCK_SHARED);
	assert_true(gets(s->next, 1, 3));
	assert_false(gets(s->holder, 1, 3));
	assert_int_equal(holders(s), 3);
	clear_away(s);
	assert_true(enters(s->holder, DBLOCK_SHARED));
	assert_false(gets(s->next, 1, 3));
	clear_away(s);
}

/* ---- it does nothing ------------------------------------------------------------------------- */

/* What is changed in the row of a holder, or of its session. */
struct change {
	const char *table, *key, *what;
};

/* A reader has the lock, and another one wants it. */
static void beside_a_reader(struct scene *s, const struct change *but, bool it_enters)
{
	assert_true(enters(s->holder, DBLOCK_SHARED));
	raw_exec(s->raw, "UPDATE %s SET %s WHERE %s = '%s'", but->table, but->what, but->key,
		 s->holder->id);
	if (it_enters)
		assert_true(enters(s->next, DBLOCK_SHARED));
	else
		does_not_enter(s, DBLOCK_SHARED);
	clear_away(s);
	raw_exec(s->raw, "UPDATE dblock_session SET dead = false WHERE id = '%s'", s->holder->id);
}

static void if_a_holder_may_be_over(void **state)
{
	static const struct change but[] = {
		{"dblock_session", "id", "dead = true"},
		{"dblock_queue", "session", "expires = {boot} - 1"},
		{"dblock_queue", "session", "session = 'nobody'"},
	};
	struct scene *s = *state;

	for (size_t i = 0; !enters_never() && i < sizeof(but) / sizeof(but[0]); i++)
		beside_a_reader(s, &but[i], false);
}

/* A lease that goes on; the rest of a minimum hold; one that is late with its heartbeat. */
static void not_if_it_holds(void **state)
{
	static const struct change but[] = {
		{"dblock_queue", "session", "expires = {boot} + 1000000000"},
		{"dblock_queue", "session", "nonce = 0, expires = {boot} + 1000000000"},
		{"dblock_session", "id", "expires = {boot} - 1"},
	};
	struct scene *s = *state;

	for (size_t i = 0; !enters_never() && i < sizeof(but) / sizeof(but[0]); i++)
		beside_a_reader(s, &but[i], true);
}

/* By a session; for a time, which may be over; or it only says that others wait. */
static void if_the_locks_own_row_is_held(void **state)
{
	static const char *const how[] = {
		"session = 'somebody'",
		"expires = {boot} + 1000000000",
		"expires = {boot} - 1",
		"queued = true",
	};
	struct scene *s = *state;

	for (size_t i = 0; !enters_never() && i < sizeof(how) / sizeof(how[0]); i++) {
		raw_exec(s->raw, "UPDATE dblock_lock SET %s WHERE name = 'x'", how[i]);
		does_not_enter(s, DBLOCK_SHARED);
		clear_away(s);
	}
}

/* Though he has not announced that, and whether he lives or not. */
static void if_somebody_waits(void **state)
{
	struct scene *s = *state;

	if (enters_never())
		return;
	puppet_enqueue(s->waiter, "x");
	does_not_enter(s, DBLOCK_SHARED);
	end_session(s->raw, s->waiter->id);
	does_not_enter(s, DBLOCK_SHARED);
	/* What is left of a wait that is over does not wait; but an upgrade does, whatever was served. */
	raw_exec(s->raw, "UPDATE dblock_lock SET served = %lld WHERE name = 'x'",
		 (long long)s->waiter->ticket);
	raw_exec(s->raw, "UPDATE dblock_queue SET upgrades = 1");
	does_not_enter(s, DBLOCK_SHARED);
	raw_exec(s->raw, "UPDATE dblock_queue SET upgrades = NULL");
	assert_true(enters(s->next, DBLOCK_SHARED));
	clear_away(s);
}

static void if_we_are_dead(void **state)
{
	struct scene *s = *state;

	if (enters_never())
		return;
	s->next->beat++; /* the database is an older copy */
	does_not_enter(s, DBLOCK_SHARED);
	s->next->beat--;
	end_session(s->raw, s->next->id);
	does_not_enter(s, DBLOCK_SHARED);
}

static void if_the_name_is_not_known(void **state)
{
	struct scene *s = *state;

	if (enters_never())
		return;
	assert_false(puppet_enters(s->next, "unheard-of", DBLOCK_SHARED, 1, 0).done);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue"), 0);
	/* Nor if somebody has joined its queue before it has a row. */
	puppet_enqueue(s->waiter, "unheard-of");
	assert_false(puppet_enters(s->next, "unheard-of", DBLOCK_SHARED, 1, 0).done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_has_the_lock),
		CASE(who_goes_together),
		CASE(permits_up_to_the_capacity),
		CASE(if_a_holder_may_be_over),
		CASE(not_if_it_holds),
		CASE(if_the_locks_own_row_is_held),
		CASE(if_somebody_waits),
		CASE(if_we_are_dead),
		CASE(if_the_name_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
