/* SPDX-License-Identifier: MIT */
/*
 * Waits that do not end with the lock, or are disturbed: replies lost, requests late, rows locked
 * or gone, sessions over. Whatever happens: nothing is left in line, nobody is forgotten, and a
 * wait with time left goes on. Each case names the naive form that it is meant to catch.
 */
#include "driver/value.h"
#include "support/line.h"

struct scene {
	struct dblock_client *a, *b;
	struct puppet *puppet;
	struct raw *raw, *fence;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->a = client_new(DBLOCK_TTL_MAX_MS);
	s->b = client_new(DBLOCK_TTL_MAX_MS);
	s->puppet = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->raw = raw_open(NULL);
	s->fence = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_waiter"); /* the puppets' of before */
	is_free(s->a, "x");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	raw_close(s->fence);
	puppet_free(s->puppet);
	dblock_close(s->a);
	dblock_close(s->b);
	free(s);
	return 0;
}

/* ---- replies lost, requests late ----------------------------------------------------------------
 */

static bool is_had(struct dblock_client *client)
{
	struct dblock_lock *lock;

	return dblock_try(client, "x", NULL, &lock, NULL) == 0 && dblock_release(lock, NULL) == 0;
}

static int countdown(void *left)
{
	return --*(int *)left <= 0;
}

static int wait_for(struct dblock_client *client, int asked, struct dblock_lock **lock,
		    struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.canceled = countdown;
	how.canceled_arg = &asked;
	return dblock_acquire(client, "x", &how, lock, err);
}

/* The n-th statement on the waiter's wire meets that fate. */
static void waits_in_vain(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *theirs = take(s->a, "x"), *none;
	struct dblock_error err = {0};

	expect(CANCELED, wait_for(client, 4, &none, &err));
	/* Before any heartbeat: those are hours apart. */
	give(theirs);
	is_free(s->b, "x");
}

/* Whoever waits in vain leaves; and whoever leaves while it is handed the lock gives it back. */
static void is_granted_and_leaves(struct scene *s, struct dblock_client *client)
{
	struct waiting w = {.lock = NULL};

	/* The keeper of the one before may still say that the line has changed: then it has to be
	 * served first, which puppets do not. */
	until_true(is_had(s->b) && puppet_takes(s->puppet, "x"));
	waiting_start(&w, client);
	until_true(in_line(s->raw) == 1 || w.call.done);
	w.cancel = true;
	assert_true(puppet_hands_over(s->puppet, "x").rc == 0);
	if (call_end(&w.call) == 0)
		give(w.lock);
	else
		assert_int_equal(w.call.rc, DBLOCK_CANCELED);
	(void)puppet_hands_over(s->puppet, "x");
	until_true(row_of(s->raw, "nonce") == 0);
}

/* The holder's wire is hit while somebody waits. */
static void is_released_under_a_line(struct scene *s, struct dblock_client *client)
{
	struct dblock_lock *lock = take(client, "x");
	struct waiting w = {.lock = NULL};

	waiting_join(&w, s->a, s->raw);
	give(lock);
	waiting_give(&w);
}

static void play(struct scene *s, void (*scene)(struct scene *, struct dblock_client *),
		 enum spy_fate fate)
{
	bool hit = true;

	for (int n = 1; hit; n++) {
		struct spy *spy = spy_new();
		struct dblock_client *client = spy_client(spy, 0);

		spy_hit_nth(spy, n, fate);
		scene(s, client);
		hit = spy_has_hit(spy);
		spy->fate = NULL;
		if (hit && fate == SPY_LATE && spy->letter.sql)
			spy_deliver(spy);
		/* A late acquire takes the lock, until the keeper gives it back. */
		until_true(rows_in_line(s->raw) == 0);
		until_true(is_had(s->b));
		dblock_close(client);
		spy_free(spy);
		assert_true(hit || n > 2);
	}
}

#define EACH_WAY(scene)                                                                            \
	static void scene##_lost_before(void **state)                                              \
	{                                                                                          \
		play(*state, scene, SPY_LOST_BEFORE);                                              \
	}                                                                                          \
	static void scene##_lost_after(void **state)                                               \
	{                                                                                          \
		play(*state, scene, SPY_LOST_AFTER);                                               \
	}                                                                                          \
	static void scene##_late(void **state)                                                     \
	{                                                                                          \
		play(*state, scene, SPY_LATE);                                                     \
	}

/* Naive: a lost enqueue is forgotten, or looked for once only; a dequeue is not sent again. */
EACH_WAY(waits_in_vain)
EACH_WAY(is_granted_and_leaves)
EACH_WAY(is_released_under_a_line)

static enum spy_fate late_enqueue(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_enqueue && spy->letter.sql == NULL ? SPY_LATE : SPY_PASS;
}

/* It arrives when nobody waits any more, and has the lock next: who hands it over rings, and the
 * one who is rung knows that nobody of his wants it. Naive: he says nothing, and until the next
 * time that the keeper looks, which may be minutes, nobody has the lock. */
static int64_t grant_a_late_enqueue(struct scene *s)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct dblock_lock *theirs = take(s->a, "x"), *none;
	struct dblock_error err = {0};
	int64_t begun;

	spy->fate = late_enqueue;
	expect(CANCELED, wait_for(client, 4, &none, &err));
	spy->fate = NULL;
	/* The pauses between the keeper's tries double: the next one takes 1.6 s. */
	until_true(spy->runs_of[DBL_OP_dequeue] >= 6);
	puppet_announce(s->puppet, "x");
	assert_int_equal(spy_deliver(spy), 1);
	begun = clock_ms();
	give(theirs);
	until_true(row_of(s->raw, "nonce") == 0);
	begun = clock_ms() - begun;
	until_true(rows_in_line(s->raw) == 0);
	until_true(is_had(s->b));
	dblock_close(client);
	spy_free(spy);
	return begun;
}

/* One play of a few is quick, on any machine. */
static void a_late_enqueue_is_granted(void **state)
{
	int64_t took = PLENTY_MS;

	for (int i = 0; i < 5 && took >= 500; i++)
		took = grant_a_late_enqueue(*state);
	assert_true(took < 500);
}

/* ---- rows locked --------------------------------------------------------------------------------
 */

/* Somebody's fence has the lock's row. On SQLite it has the file, and nobody can join. */
static void joining_under_a_fence(void **state)
{
	struct scene *s = *state;
	struct waiting w = {.lock = NULL}, in_vain = {.lock = NULL};
	struct dblock_lock *lock = take(s->a, "x");
	int64_t begun;

	if (on_backend("sqlite")) {
		give(lock);
		return;
	}
	raw_lock_row(s->fence, "x");
	waiting_start(&w, s->b);
	waiting_start(&in_vain, s->b);
	until_true(in_line(s->raw) == 2);
	sleep_ms(300);
	begun = clock_ms();
	waiting_cancel(&in_vain);
	/* Long before a request's own deadline; a statement waits for the row 1 s at most. */
	assert_true(clock_ms() - begun < PLENTY_MS / 2);
	until_true(in_line(s->raw) == 1);
	assert_false(w.call.done);
	raw_exec(s->fence, "COMMIT");
	until_true(row_of(s->raw, "queue_version") > 1);
	give(lock);
	waiting_give(&w);
	until_true(rows_in_line(s->raw) == 0);
	is_free(s->a, "x");
}

static void *commit_after_a_while(void *arg)
{
	sleep_ms(700);
	raw_exec(arg, "COMMIT");
	return NULL;
}

/* Naive: a hand-over that finds the row locked is left to the heartbeat. */
static void a_hand_over_is_patient(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};
	struct crew crew = {.n = 0};
	int64_t begun;

	waiting_join(&w, s->b, s->raw);
	raw_lock_row(s->fence, "x");
	begun = clock_ms();
	crew_add(&crew, commit_after_a_while, s->fence);
	give(lock);
	assert_true(clock_ms() - begun >= 700);
	crew_join(&crew);
	waiting_give(&w);
}

/* ---- rows gone ----------------------------------------------------------------------------------
 */

/* Naive: who waits looks for its row only, or waits for the bell. */
static void the_locks_row_is_deleted(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};

	waiting_join(&w, s->b, s->raw);
	raw_exec(s->raw, "DELETE FROM dblock_lock WHERE name = 'x'");
	waiting_end(&w, OK);
	assert_true(dblock_token(w.lock) > dblock_token(lock));
	assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
	give(w.lock);
	until_true(rows_in_line(s->raw) == 0);
}

/* Which is done, and has not been looked at; -1: none. */
static int next_done(const struct waiting *w, int n)
{
	while (--n >= 0 && !(w[n].client && w[n].call.done))
		;
	return n;
}

/* Naive: a waiter whose row is gone is never served. */
static void waiters_rows_are_deleted(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w[3];

	memset(w, 0, sizeof(w));
	for (int i = 0; i < 3; i++)
		waiting_join(&w[i], s->b, s->raw);
	raw_exec(s->raw, "DELETE FROM dblock_waiter WHERE name = 'x' AND nonce ="
			 " (SELECT nonce FROM (SELECT MIN(nonce) AS nonce FROM dblock_waiter) m)");
	until_true(in_line(s->raw) == 3);
	raw_exec(s->raw, "DELETE FROM dblock_waiter");
	until_true(in_line(s->raw) == 3);
	give(lock);
	/* In which order, nobody can say: the rows were made anew as each looked. */
	for (int served = 0; served < 3; served++) {
		int at;

		until_true((at = next_done(w, 3)) >= 0);
		waiting_give(&w[at]);
		w[at].client = NULL;
	}
	until_true(rows_in_line(s->raw) == 0);
}

/* Emptied just when it is free: nobody rings, and nobody waits for ever. */
static void the_table_is_emptied_at_the_release(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting first = {.lock = NULL}, second = {.lock = NULL};

	waiting_join(&first, s->a, s->raw);
	waiting_join(&second, s->b, s->raw);
	raw_exec(s->raw, "DELETE FROM dblock_waiter");
	give(lock);
	until_true(first.call.done || second.call.done);
	if (first.call.done) {
		waiting_give(&first);
		waiting_give(&second);
	} else {
		waiting_give(&second);
		waiting_give(&first);
	}
}

/* ---- sessions over ------------------------------------------------------------------------------
 */

static const char *session_in_line(struct raw *raw)
{
	const char *id = raw_text(raw, "SELECT session FROM dblock_waiter");

	assert_non_null(id);
	return id;
}

/* Naive: it waits on in a line that passes it over, as it is dead. */
static void a_waiter_goes_on_with_a_new_session(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->a, "x");
	struct waiting w = {.lock = NULL};
	char before[64];

	waiting_join(&w, s->b, s->raw);
	snprintf(before, sizeof(before), "%s", session_in_line(s->raw));
	end_session(s->raw, before);
	until_true(raw_int(s->raw, "SELECT count(*) FROM dblock_waiter WHERE session <> '%s'",
			   before) == 1);
	give(lock);
	waiting_end(&w, OK);
	assert_true(dblock_valid(w.lock, 0));
	assert_string_not_equal(show(s->a, "x").session, before);
	give(w.lock);
}

/* Granted, and then buried, before it knows of either. Naive: DBLOCK_LOST, though it has time; or
 * it is told that a lock is its own which anybody may take. */
static void it_is_buried_while_it_is_granted(void **state)
{
	struct scene *s = *state;
	struct waiting w = {.lock = NULL};
	char before[64];

	assert_true(puppet_takes(s->puppet, "x"));
	waiting_join(&w, s->b, s->raw);
	snprintf(before, sizeof(before), "%s", session_in_line(s->raw));
	puppet_begin(s->puppet);
	assert_true(puppet_hands_over(s->puppet, "x").done);
	puppet_run(s->puppet, DBL_OP_session_close, (struct dbl_value[]){dbl_text(before)});
	puppet_commit(s->puppet);
	waiting_end(&w, OK);
	assert_true(dblock_valid(w.lock, 0));
	assert_string_not_equal(show(s->a, "x").session, before);
	busy(s->a, "x");
	give(w.lock);
}

/* Its own time is over while it looks at a lock that is free: it goes for it in a new life, in
 * vain. Its place in line is the old one's, which could not even be declared dead. Naive: it is
 * handed the lock there, and believes that it lives by the new one, whose heartbeats keep nobody
 * away. */
static struct dblock_client *rival;
static struct raw *looks_on;
static struct dblock_lock *rivals;

static struct dblock_client *changing;
static bool changed;

static void begin_another_life(struct dbl_session *session)
{
	int64_t deadline = dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS);
	struct dblock_error err = {0};
	struct dbl_life *life;

	expect(OK, dbl_session_life(session, deadline, &life, &err));
	dbl_term_end(&life->term);
	dbl_life_drop(life);
	expect(OK, dbl_session_life(session, deadline, &life, &err));
	dbl_life_drop(life);
}

static enum spy_fate change_lives(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	if (op == DBL_OP_look && !changed && row_of(looks_on, "nonce") == 0) {
		changed = true;
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

	/* So long the keeper tries to declare the old one dead; a request of ours may take longer.
	 */
	client->locks->timeout = dbl_ms(PLENTY_MS);
	changing = client;
	changed = false;
	looks_on = s->fence;
	rival = s->a;
	rivals = NULL;
	assert_true(puppet_takes(s->puppet, "x"));
	waiting_join(&w, client, s->raw);
	snprintf(before, sizeof(before), "%s", session_in_line(s->raw));
	spy->fate = change_lives;
	raw_exec(s->raw, "UPDATE dblock_lock SET session = NULL, nonce = 0, queued = false"
			 " WHERE name = 'x'");
	until_true(rivals);
	/* Somebody joins, so that it is handed over, not freed. */
	puppet_announce(s->puppet, "x");
	until_true(raw_int(s->raw, "SELECT count(*) FROM dblock_waiter WHERE session <> '%s'",
			   before) == 1);
	give(rivals);
	waiting_end(&w, OK);
	assert_true(dblock_valid(w.lock, 0));
	assert_string_not_equal(raw_text(s->raw, "SELECT session FROM dblock_lock"
						 " WHERE name = 'x'"),
				before);
	give(w.lock);
	spy->fate = NULL;
	dblock_close(client);
	spy_free(spy);
}

#define CASE(name)  cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define WAYS(scene) CASE(scene##_lost_before), CASE(scene##_lost_after), CASE(scene##_late)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAYS(waits_in_vain),
		WAYS(is_granted_and_leaves),
		WAYS(is_released_under_a_line),
		CASE(a_late_enqueue_is_granted),
		CASE(joining_under_a_fence),
		CASE(a_hand_over_is_patient),
		CASE(the_locks_row_is_deleted),
		CASE(waiters_rows_are_deleted),
		CASE(the_table_is_emptied_at_the_release),
		CASE(a_waiter_goes_on_with_a_new_session),
		CASE(it_is_buried_while_it_is_granted),
		CASE(its_life_ends_while_it_goes_for_the_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
