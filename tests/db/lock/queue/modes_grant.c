/* SPDX-License-Identifier: MIT */
/*
 * Grants that rows of the queue carry, statement by statement, and what each statement depends on.
 * Each case names the naive form that it is meant to catch.
 */
#include "db/lock/queue/queue_kit.h"

#include "driver/value.h"

/* The columns that a decision is made from. */
struct seen {
	int64_t version, token;
};

static struct seen look(struct scene *s)
{
	return (struct seen){row_of(s->raw, "queue_version"), row_of(s->raw, "token")};
}

/* Of those who joined, only the last ones are read: on SQLite tickets are times, and far apart. */
enum { JOINED = 16 };
static struct {
	int64_t ticket, nonce;
} joined[JOINED];

static int64_t nonce_of(int64_t ticket)
{
	for (int i = 0; i < JOINED; i++) {
		if (joined[i].ticket == ticket)
			return joined[i].nonce;
	}
	return 0;
}

/* Joins the queue, tells nobody, and returns the ticket. */
static int64_t joins(struct puppet *p, enum dblock_mode mode, int64_t weight, int64_t capacity)
{
	static int n;

	p->place = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_enqueue,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(p->place), dbl_text(p->id), dbl_int(77),
			       dbl_null(), dbl_null(), dbl_null(), dbl_text(""), dbl_int(mode),
			       dbl_int(weight), capacity ? dbl_int(capacity) : dbl_null(),
			       dbl_null(), dbl_int(1), dbl_int(0), dbl_int(p->beat), dbl_int(0)));
	p->ticket = p->answers[0];
	joined[n % JOINED].ticket = p->ticket;
	joined[n++ % JOINED].nonce = p->place;
	return p->ticket;
}

/* Grants the places with these tickets, one or two, and returns how many rows say so. */
static int grants(struct puppet *p, struct seen seen, int64_t one, int64_t two)
{
	char tickets[128];
	int n = two ? 2 : 1;
	int64_t first = seen.token + 1000;

	if (two)
		snprintf(tickets, sizeof(tickets), "%lld,%lld,%lld,%lld", (long long)one,
			 (long long)two, (long long)nonce_of(one), (long long)nonce_of(two));
	else
		snprintf(tickets, sizeof(tickets), "%lld,%lld", (long long)one,
			 (long long)nonce_of(one));
	if (puppet_run(p, DBL_OP_grant,
		       DBL_ARGS_OF(dbl_text("x"), dbl_int(seen.version), dbl_int(seen.token),
				   dbl_int(first), dbl_int(first + n - 1), dbl_text(tickets),
				   dbl_int(two ? two : one), dbl_int(0))) == 0)
		return 0;
	return p->rows;
}

static int64_t holders(struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE name = 'x' "
			       "AND token IS NOT NULL");
}

static int64_t drops(struct puppet *p, int64_t token, int64_t nonce)
{
	return puppet_run(p, DBL_OP_row_release,
			  DBL_ARGS_OF(dbl_text("x"), dbl_int(token), dbl_int(nonce)));
}

/* Naive: all have one token; or the next grant gets a token again. */
static void each_has_a_token_of_its_own(void **state)
{
	struct scene *s = *state;
	struct seen before = look(s);
	int64_t one = joins(s->puppet, DBLOCK_SHARED, 1, 0);
	int64_t two = joins(s->puppet, DBLOCK_SHARED, 1, 0);

	assert_int_equal(grants(s->puppet, before, one, two), 2);
	assert_int_equal(raw_int(s->raw, "SELECT count(DISTINCT token) FROM dblock_queue "
					 "WHERE name = 'x'"),
			 2);
	assert_int_equal(raw_int(s->raw, "SELECT min(token) FROM dblock_queue WHERE name = 'x'"),
			 before.token + 1000);
	assert_int_equal(row_of(s->raw, "token"), before.token + 1001);
	assert_int_equal(row_of(s->raw, "served"), two);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	assert_true(is_free(s->a, "x") > before.token + 1001);
}

/* Naive: the grant does not check queue_version. */
static void a_stale_plan_grants_nothing(void **state)
{
	struct scene *s = *state;
	struct seen seen = look(s);
	int64_t one = joins(s->puppet, DBLOCK_PERMITS, 2, 3);
	int64_t two = joins(s->puppet, DBLOCK_PERMITS, 2, 3);

	assert_int_equal(grants(s->puppet, seen, one, 0), 1);
	assert_int_equal(grants(s->puppet, seen, two, 0), 0);
	seen.token = row_of(s->raw, "token");
	assert_int_equal(grants(s->puppet, seen, two, 0), 0);
	assert_int_equal(holders(s), 1);
}

/* Naive: the grant does not check the token. The fast acquire changes nothing else. */
static void nor_where_somebody_has_taken_it(void **state)
{
	struct scene *s = *state;
	struct seen seen = look(s);
	int64_t one = joins(s->puppet, DBLOCK_SHARED, 1, 0);
	struct dblock_lock *lock = take(s->a, "x");

	assert_int_equal(row_of(s->raw, "queue_version"), seen.version);
	assert_int_equal(grants(s->puppet, seen, one, 0), 0);
	/* The place is not granted by the present token either. */
	assert_int_equal(grants(s->puppet, look(s), one, 0), 0);
	assert_int_equal(holders(s), 0);
	puppet_dequeue(s->puppet, "x");
	give(lock);
}

/* Naive: an acquire that does not check the mode; or a hand-over that does not check for rows that
 * hold. */
static void nobody_has_it_alone_beside_a_row(void **state)
{
	struct scene *s = *state;
	int64_t one = joins(s->puppet, DBLOCK_SHARED, 1, 0);
	struct puppet *other = puppet_new(NULL, DBLOCK_TTL_MAX_MS);

	assert_int_equal(grants(s->puppet, look(s), one, 0), 1);
	assert_false(puppet_takes(other, "x"));
	puppet_queues(other, "x");
	other->token = row_of(s->raw, "token");
	assert_int_equal(puppet_run(other, DBL_OP_hand_over,
				    DBL_ARGS_OF(dbl_text("x"), dbl_int(other->token), dbl_int(0))),
			 0);
	assert_int_equal(drops(s->puppet, other->token, s->puppet->place), 1);
	assert_int_equal(puppet_run(other, DBL_OP_hand_over,
				    DBL_ARGS_OF(dbl_text("x"), dbl_int(other->token), dbl_int(0))),
			 1);
	assert_true(puppet_gives_back(other, "x"));
	puppet_free(other);
}

/* Naive: the hand-over gives the first in the queue the whole lock. */
static void a_hand_over_is_for_who_wants_it_alone(void **state)
{
	struct scene *s = *state;
	struct puppet *holder = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	struct puppet_winner winner;

	assert_true(puppet_takes(holder, "x"));
	joins(s->puppet, DBLOCK_SHARED, 1, 0);
	puppet_announce(s->puppet, "x");
	winner = puppet_hands_over(holder, "x");
	assert_true(winner.done);
	assert_int_equal(winner.holder, 0);
	assert_int_equal(row_of(s->raw, "queued"), 1);
	/* A newcomer does not get it either. */
	assert_false(puppet_takes(holder, "x"));
	puppet_dequeue(s->puppet, "x");
	puppet_free(holder);
}

/* Naive: a session that looks expired is removed; or rows that hold are deleted with those that
 * wait. */
static void only_the_dead_are_expelled(void **state)
{
	struct scene *s = *state;
	struct dbl_value name = dbl_text("x"), own = dbl_text(s->puppet->id), now = dbl_int(0);
	int64_t one = joins(s->puppet, DBLOCK_SHARED, 1, 0);

	assert_int_equal(grants(s->puppet, look(s), one, 0), 1);
	raw_exec(s->raw, "UPDATE dblock_session SET expires = 1 WHERE id = '%s'", s->puppet->id);
	assert_int_equal(puppet_run(s->puppet, DBL_OP_expel, DBL_ARG(name)), 0);
	assert_int_equal(puppet_run(s->puppet, DBL_OP_dequeue_served, DBL_ARG(own)), 0);
	assert_int_equal(puppet_run(s->puppet, DBL_OP_reap_rows, DBL_NO_ARGS), 0);
	end_session(s->raw, s->puppet->id);
	assert_int_equal(puppet_run(s->puppet, DBL_OP_reap_waiters, DBL_ARG(now)), 0);
	assert_int_equal(holders(s), 1);
	assert_int_equal(puppet_run(s->puppet, DBL_OP_expel, DBL_ARG(name)), 1);
	assert_int_equal(holders(s), 0);
}

/* Naive: a late statement about one grant hits the next one of that name. */
static void what_comes_late_finds_nothing(void **state)
{
	struct scene *s = *state;
	int64_t one = joins(s->puppet, DBLOCK_UPDATE, 1, 0), token;

	assert_int_equal(grants(s->puppet, look(s), one, 0), 1);
	token = row_of(s->raw, "token");
	assert_int_equal(drops(s->puppet, token, s->puppet->place + 1), 0);
	assert_int_equal(drops(s->puppet, token - 1, s->puppet->place), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			puppet_run(s->puppet, DBL_OP_row_mode,
				   DBL_ARGS_OF(dbl_text("x"), dbl_int(token),
					       dbl_int(s->puppet->place), dbl_int(DBLOCK_SHARED),
					       dbl_int(DBLOCK_UPDATE))),
			i == 0);
	assert_int_equal(
		puppet_run(s->puppet, DBL_OP_row_end,
			   DBL_ARGS_OF(dbl_text("x"), dbl_int(token), dbl_int(12345), dbl_int(0),
				       dbl_text(""), dbl_int(0), dbl_text(""))),
		0);
	assert_int_equal(drops(s->puppet, token, s->puppet->place), 1);
	assert_int_equal(drops(s->puppet, token, s->puppet->place), 0);
}

/* Naive: a downgrade in two halves, between which somebody gets in; or one that is done twice. */
static void a_downgrade_is_one_step(void **state)
{
	struct scene *s = *state;
	struct puppet *p = s->puppet;
	int64_t version;

	assert_true(puppet_takes(p, "x"));
	joins(p, DBLOCK_SHARED, 1, 0);
	version = row_of(s->raw, "queue_version");
	for (int i = 0; i < 2; i++) {
		int64_t changed = puppet_run(p, DBL_OP_downgrade,
					     DBL_ARGS_OF(dbl_text("x"), dbl_int(p->token),
							 dbl_int(p->nonce), dbl_int(p->place)));

		assert_int_equal(changed > 0, i == 0);
		assert_int_equal(p->rows, i == 0);
	}
	assert_int_equal(holders(s), 1);
	assert_int_equal(row_of(s->raw, "mode"), 1);
	assert_int_equal(row_of(s->raw, "nonce"), 0);
	assert_true(row_of(s->raw, "queue_version") > version);
	assert_int_equal(drops(p, p->token, p->place), 1);
}

/* Naive: the row that carries the grant on lives by the session, and the lease never ends. */
static void a_lease_goes_on(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	o.lease_ms = 60000;
	expect(OK, dblock_try(s->a, "x", &o, &lock, &err));
	expect(OK, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	assert_int_equal(holders(s), 1);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE name = 'x' "
					 "AND expires IS NOT NULL AND lease <= 60000000"),
			 1);
	assert_true(dblock_remaining_ms(lock) <= 60000);
	give(lock);
	assert_int_equal(holders(s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_has_a_token_of_its_own),
		CASE(a_stale_plan_grants_nothing),
		CASE(nor_where_somebody_has_taken_it),
		CASE(nobody_has_it_alone_beside_a_row),
		CASE(a_hand_over_is_for_who_wants_it_alone),
		CASE(only_the_dead_are_expelled),
		CASE(what_comes_late_finds_nothing),
		CASE(a_downgrade_is_one_step),
		CASE(a_lease_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
