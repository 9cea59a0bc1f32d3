/* SPDX-License-Identifier: MIT */
/* A capacity is changed while others, who have read the old one, are about to grant: in every order. */
#include "db/lock/queue/queue_enter_kit.h"

#include "driver/value.h"

#include <dblock/pool.h>

static void store(struct scene *s, int64_t capacity)
{
	struct dblock_error err = {0};

	expect(OK, dblock_pool_resize(s->client, "x", capacity, &err));
}

/* As it was seen to be. Returns whether it was stored. */
static bool stores(struct puppet *p, int64_t capacity, int64_t seen)
{
	return puppet_run(p, DBL_OP_resize,
			  DBL_ARGS_OF(dbl_text("x"), dbl_int(capacity), dbl_int(seen))) == 1;
}

static int64_t held(struct scene *s)
{
	return raw_int(s->raw,
		       "SELECT CAST(coalesce(sum(weight), 0) AS %s) FROM dblock_queue "
		       "WHERE name = 'x' AND token IS NOT NULL",
		       on_backend("mysql") ? "SIGNED" : "bigint");
}

struct entry {
	struct puppet *puppet;
	int64_t capacity;
	struct puppet_winner winner;
	struct call call;
};

static int run_entry(void *arg, struct dblock_error *err)
{
	struct entry *e = arg;

	(void)err;
	e->winner = puppet_enters(e->puppet, "x", DBLOCK_PERMITS, 1, e->capacity);
	return e->winner.rc;
}

/* It has read 6 permits, of which one is free, and waits for the lock's row, which the resize has. True: they
 * have met, and it does nothing. */
static bool an_entry_meets_a_resize(struct scene *s, int64_t capacity)
{
	struct entry e = {.puppet = s->next, .capacity = capacity};
	bool met;

	store(s, 6);
	assert_true(gets(s->holder, 5, 0));
	puppet_begin(s->waiter);
	assert_true(stores(s->waiter, 4, 6));
	call_start(&e.call, run_entry, &e);
	while (!e.call.done && rows_waited_for(s->raw) < 1)
		;
	met = !e.call.done;
	puppet_commit(s->waiter);
	call_end(&e.call);
	assert_true(e.call.rc == 0 || e.call.rc == DBLOCK_E_BLOCKED);
	assert_int_equal(held(s), 5);
	return met && e.call.rc == 0 && !e.winner.done;
}

static bool who_follows(struct scene *s)
{
	return an_entry_meets_a_resize(s, 0);
}

static bool who_names_it(struct scene *s)
{
	return an_entry_meets_a_resize(s, 6);
}

/* Naive: the resize does not raise the version, and six are held of four. */
static void who_enters_while_it_shrinks(void **state)
{
	if (enters_never() || on_backend("sqlite"))
		return;
	play(*state, who_follows);
	play(*state, who_names_it);
}

/* What the usual case of an acquire takes, and what it does not. */
static void who_enters_heeds_what_is_stored(void **state)
{
	struct scene *s = *state;

	if (enters_never())
		return;
	raw_exec(s->raw, "UPDATE dblock_lock SET capacity = NULL");
	assert_false(gets(s->next, 1, 0));
	assert_true(gets(s->holder, 2, 8));
	store(s, 3);
	assert_false(gets(s->next, 1, 8));
	assert_false(gets(s->next, 2, 0));
	assert_true(gets(s->next, 1, 0));
	assert_false(gets(s->waiter, 1, 0));
	store(s, 4);
	assert_true(gets(s->waiter, 1, 4));
	store(s, 0);
	assert_false(gets(s->waiter, 1, 0));
	assert_int_equal(held(s), 4);
	clear_away(s);
}

/* Naive: who releases has read that there are six, and grants the sixth after the resize to four. */
static void a_grant_that_was_decided_before(void **state)
{
	struct scene *s = *state;
	struct puppet *p = s->next;
	int64_t version, token;
	char tickets[64];

	store(s, 6);
	p->place = dbl_random_id(p->target.env);
	puppet_run(p, DBL_OP_enqueue,
		   DBL_ARGS_OF(dbl_text("x"), dbl_int(p->place), dbl_text(p->id), dbl_int(0),
			       dbl_null(), dbl_null(), dbl_null(), dbl_text(""),
			       dbl_int(DBLOCK_PERMITS), dbl_int(6), dbl_null(), dbl_null(),
			       dbl_int(1), dbl_int(0), dbl_int(p->beat), dbl_int(0)));
	snprintf(tickets, sizeof(tickets), "%lld,%lld", (long long)p->answers[0],
		 (long long)p->place);
	version = row_of(s->raw, "queue_version");
	token = row_of(s->raw, "token");
	for (int late = 1; late >= 0; late--) {
		if (late)
			assert_true(stores(s->waiter, 4, 6));
		puppet_run(p, DBL_OP_grant,
			   DBL_ARGS_OF(dbl_text("x"), dbl_int(version), dbl_int(token),
				       dbl_int(token + 1), dbl_int(token + 1), dbl_text(tickets),
				       dbl_int(p->answers[0]), dbl_int(0)));
		assert_int_equal(held(s), late ? 0 : 6);
		assert_true(!late || stores(s->waiter, 6, 4));
		version = row_of(s->raw, "queue_version"); /* the same grant, decided anew */
	}
	clear_away(s);
}

/* Naive: the copy that comes late, or the second, undoes what somebody else was told is stored. */
static void two_resizes(void **state)
{
	struct scene *s = *state;

	store(s, 6);
	assert_true(stores(s->waiter, 4, 6));
	assert_false(stores(s->waiter, 4, 6));
	assert_false(stores(s->next, 8, 6));
	store(s, 8);
	assert_false(stores(s->waiter, 4, 6));
	assert_int_equal(row_of(s->raw, "capacity"), 8);
	clear_away(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(who_enters_while_it_shrinks),
		CASE(who_enters_heeds_what_is_stored),
		CASE(a_grant_that_was_decided_before),
		CASE(two_resizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
