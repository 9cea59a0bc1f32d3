/* SPDX-License-Identifier: MIT */
/* Who enters meets another one who is granted the lock, in every order that the database allows. */
#include "db/lock/queue/queue_enter_kit.h"

#include "driver/value.h"

struct entry {
	struct puppet *puppet;
	enum dblock_mode mode;
	int64_t capacity;
	struct puppet_winner winner;
	struct call call;
};

static int run_entry(void *arg, struct dblock_error *err)
{
	struct entry *e = arg;

	(void)err;
	e->winner = puppet_enters(e->puppet, "x", e->mode, 1, e->capacity);
	return e->winner.rc;
}

/* It has read the queue, and waits for the lock's row, which an open transaction has. */
static bool entry_waits(struct scene *s, struct entry *e)
{
	e->puppet = s->next;
	call_start(&e->call, run_entry, e);
	while (!e->call.done && rows_waited_for(s->raw) < 1)
		;
	return !e->call.done;
}

/* The other's transaction is committed: did the two meet, and does this one do nothing? */
static bool does_nothing_then(struct scene *s, struct entry *e, struct puppet *other, bool met)
{
	puppet_commit(other);
	call_end(&e->call);
	assert_true(e->call.rc == 0 || e->call.rc == DBLOCK_E_BLOCKED);
	assert_true(!met || holders(s) == 1);
	return met && e->call.rc == 0 && !e->winner.done;
}

static bool two_update(struct scene *s)
{
	struct entry e = {.mode = DBLOCK_UPDATE};
	bool met;

	puppet_begin(s->waiter);
	assert_true(enters(s->waiter, DBLOCK_UPDATE));
	met = entry_waits(s, &e);
	return does_nothing_then(s, &e, s->waiter, met);
}

static bool two_take_the_last_permit(struct scene *s)
{
	struct entry e = {.mode = DBLOCK_PERMITS, .capacity = 1};
	bool met;

	puppet_begin(s->waiter);
	assert_true(gets(s->waiter, 1, 1));
	met = entry_waits(s, &e);
	return does_nothing_then(s, &e, s->waiter, met);
}

static void grants(struct puppet *p, int64_t version, int64_t token)
{
	char tickets[64];

	snprintf(tickets, sizeof(tickets), "%lld,%lld", (long long)p->ticket, (long long)p->place);
	puppet_run(p, DBL_OP_grant,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(version), dbl_int(token), dbl_int(token + 1),
			       dbl_int(token + 1), dbl_text(tickets), dbl_int(p->ticket),
			       dbl_int(0)));
	assert_int_equal(p->rows, 1);
}

/* One who came through the queue, which this one has not seen. */
static bool somebody_is_granted_it(struct scene *s)
{
	struct entry e = {.mode = DBLOCK_UPDATE};
	int64_t version = row_of(s->raw, "queue_version"), token = row_of(s->raw, "token");
	bool met;

	puppet_begin(s->waiter);
	puppet_enqueue(s->waiter, "x");
	grants(s->waiter, version, token);
	met = entry_waits(s, &e);
	return does_nothing_then(s, &e, s->waiter, met);
}

/* It was free, was taken alone, and is held by a row of the queue from now on. */
static bool somebody_downgrades(struct scene *s)
{
	struct entry e = {.mode = DBLOCK_UPDATE};
	bool met;

	puppet_begin(s->waiter);
	assert_true(puppet_takes(s->waiter, "x"));
	puppet_enqueue(s->waiter, "x");
	puppet_run(s->waiter, DBL_OP_downgrade,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(s->waiter->token), dbl_int(s->waiter->nonce),
			       dbl_int(s->waiter->place)));
	assert_int_equal(s->waiter->rows, 1);
	met = entry_waits(s, &e);
	return does_nothing_then(s, &e, s->waiter, met);
}

/* It was free, and somebody has taken it alone. */
static bool somebody_takes_it_alone(struct scene *s)
{
	struct entry e = {.mode = DBLOCK_SHARED};
	bool met;

	puppet_begin(s->waiter);
	assert_true(puppet_takes(s->waiter, "x"));
	met = entry_waits(s, &e);
	puppet_commit(s->waiter);
	call_end(&e.call);
	assert_true(row_of(s->raw, "nonce") == s->waiter->nonce && holders(s) == 0);
	return met && e.call.rc == 0 && !e.winner.done;
}

static void play_all(struct scene *s, bool (*scene)(struct scene *))
{
	if (!enters_never() && !on_backend("sqlite"))
		play(s, scene);
}

/* Naive: without queue_version both hold it, and each thinks that it may write, */
static void two_updates_at_once(void **state)
{
	play_all(*state, two_update);
}

/* or has the last permit, */
static void two_for_the_last_permit(void **state)
{
	play_all(*state, two_take_the_last_permit);
}

/* also beside one who was granted it, */
static void beside_a_grant(void **state)
{
	play_all(*state, somebody_is_granted_it);
}

/* or has made its grant one that others may stand beside. */
static void beside_a_downgrade(void **state)
{
	play_all(*state, somebody_downgrades);
}

static void beside_one_who_has_it_alone(void **state)
{
	play_all(*state, somebody_takes_it_alone);
}

/* A hand-over finds no row that holds the lock, and waits for the lock's own. Naive: if enter did not raise
 * the version, nor the token, the lock's row would say that nobody holds it. */
static void a_hand_over_to_nobody_comes_too_late(void **state)
{
	struct scene *s = *state;
	int64_t token;

	if (enters_never())
		return;
	raw_exec(s->raw, "UPDATE dblock_lock SET mode = 1 WHERE name = 'x'");
	token = row_of(s->raw, "token");
	assert_true(enters(s->waiter, DBLOCK_SHARED));
	raw_exec(s->raw, "DELETE FROM dblock_queue"); /* what it has read */
	assert_int_equal(puppet_run(s->next, DBL_OP_hand_over,
				    DBL_ARGS_OF(dbl_text("x"), dbl_int(token), dbl_int(0))),
			 0);
	assert_int_equal(row_of(s->raw, "mode"), 1);
	clear_away(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(two_updates_at_once),
		CASE(two_for_the_last_permit),
		CASE(beside_a_grant),
		CASE(beside_a_downgrade),
		CASE(beside_one_who_has_it_alone),
		CASE(a_hand_over_to_nobody_comes_too_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
