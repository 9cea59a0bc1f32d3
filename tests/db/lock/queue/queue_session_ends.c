/* SPDX-License-Identifier: MIT */
/*
 * The session of a waiter ends: a wait with time left goes on in a new session, and what was handed
 * to the dead goes to the next.
 */
#include "db/lock/queue/queue_kit.h"
#include "driver/value.h"

/* ---- who waits lives on ---------------------------------------------------------------------- */

static const char *session_in_queue(struct raw *raw)
{
	const char *id = raw_text(raw, "SELECT session FROM dblock_queue");

	assert_non_null(id);
	return id;
}

/* Naive: it waits on in a queue that passes it over, as its session is dead. */
static void a_waiter_goes_on_with_a_new_session(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};
	char before[64];

	waiting_join(&w, s->b, s->raw);
	snprintf(before, sizeof(before), "%s", session_in_queue(s->raw));
	end_session(s->raw, before);
	until_true(raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE session <> '%s'",
			   before) == 1);
	give(lock);
	waiting_end(&w, OK);
	assert_true(dblock_valid(w.lock, 0));
	assert_string_not_equal(show(s->a, "x").session, before);
	give(w.lock);
}

/* The waiter is granted the lock, and then declared dead, before it knows of either. Naive: the
 * call returns DBLOCK_LOST, though it has time; or it returns a lock that anybody may take. */
static void it_is_buried_while_it_is_granted(void **state)
{
	struct scene *s = *state;
	struct waiting w = {.lock = NULL};
	char before[64];
	int64_t beat;

	assert_true(puppet_takes(s->puppet, "x"));
	waiting_join(&w, s->b, s->raw);
	snprintf(before, sizeof(before), "%s", session_in_queue(s->raw));
	beat = raw_int(s->raw, "SELECT beat FROM dblock_session WHERE id = '%s'", before);
	puppet_begin(s->puppet);
	assert_true(puppet_hands_over(s->puppet, "x").done);
	puppet_run(s->puppet, DBL_OP_session_close,
		   DBL_ARGS_OF(dbl_text(before), dbl_int(beat), dbl_int(beat)));
	puppet_commit(s->puppet);
	waiting_end(&w, OK);
	assert_true(dblock_valid(w.lock, 0));
	assert_string_not_equal(show(s->a, "x").session, before);
	busy(s->a, "x");
	give(w.lock);
}

/* The waiter's session ends while it looks at a lock that is free: it tries an acquire in a new
 * session, in vain. Its place in the queue belongs to the old session, which could not even be
 * declared dead. Naive: it is handed the lock there, and believes that it lives by the new session,
 * whose heartbeats keep nobody away. */
static struct dblock_client *rival;
static struct raw *frees;
static struct dblock_lock *_Atomic rivals;

static struct dblock_client *changing;
static _Atomic bool changed;

static void begin_another_life(struct dbl_session *session)
{
	int64_t deadline = dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS);
	struct dblock_error err = {0};
	struct dbl_epoch *life;

	expect(OK, dbl_session_epoch(session, deadline, &life, &err));
	dbl_validity_end(&life->validity);
	dbl_epoch_drop(life);
	expect(OK, dbl_session_epoch(session, deadline, &life, &err));
	dbl_epoch_drop(life);
}

/* The release comes before the look, so that this look sees the lock free. */
static enum spy_fate change_lives(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_look && !changed) {
		changed = true;
		raw_exec(frees, "UPDATE dblock_lock SET session = NULL, nonce = 0, queued = false"
				" WHERE name = 'x'");
		begin_another_life(changing->locks->session);
	}
	if (op == DBL_OP_acquire && !rivals && changed)
		rivals = take(rival, "x");
	return op == DBL_OP_session_close ? SPY_LOST_BEFORE : SPY_PASS;
}

static void its_life_ends_while_it_goes_for_the_lock(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 0, 1500);
	struct waiting w = {.lock = NULL};
	char before[64];

	/* The heartbeat thread tries for so long to declare the old session dead; a request of ours
	 * may take as long. */
	client->locks->timeout = dbl_ms(PLENTY_MS);
	changing = client;
	changed = false;
	frees = s->fence;
	rival = s->a;
	rivals = NULL;
	assert_true(puppet_takes(s->puppet, "x"));
	waiting_join(&w, client, s->raw);
	snprintf(before, sizeof(before), "%s", session_in_queue(s->raw));
	spy->fate = change_lives;
	until_true(rivals);
	/* Somebody joins, so that the lock is handed over, not freed. */
	puppet_announce(s->puppet, "x");
	until_true(raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE session <> '%s'",
			   before) == 1);
	give(rivals);
	waiting_end(&w, OK);
	assert_true(dblock_valid(w.lock, 0));
	assert_string_not_equal(raw_text(s->raw, "SELECT session FROM dblock_lock"
						 " WHERE name = 'x'"),
				before);
	give(w.lock);
	spy->fate = NULL;
	dblock_close(client, NULL);
	spy_free(spy);
}

/* ---- handed to the dead ---------------------------------------------------------------------- */

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
	/* The session is not declared dead before it has been watched for its ttl. If the machine
	 * was so slow that it looked expired at the release, it was passed over. */
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
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE session = '%s'",
				 dying->id),
			 0);
	puppet_free(dying);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_waiter_goes_on_with_a_new_session),
		CASE(it_is_buried_while_it_is_granted),
		CASE(its_life_ends_while_it_goes_for_the_lock),
		CASE(a_dead_waiters_grant_goes_to_the_next),
		CASE(a_dead_waiters_grant_is_reaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
