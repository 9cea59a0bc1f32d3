/* SPDX-License-Identifier: MIT */
/* A wait is told that it has been granted the lock, but a crash has the database forget that before the wait
 * looks. It waits on, and is granted the lock again. The test makes its steps. */
#include "db/lock/queue/queue_kit.h"
#include "lock/wait/wait.h"

struct told {
	struct scene *scene;
	struct spy *spy;
	struct dblock_client *client;
	struct dbl_acquire_spec spec;
	struct dbl_wait wait;
	struct dblock_lock *lock;
	struct dblock_error err;
	int64_t served;            /* before anybody was handed the lock */
	struct puppet_winner word; /* what it is told */
};

static int step(struct told *w)
{
	return dbl_wait_step(&w->wait, &w->lock, &w->err);
}

static bool is_due(struct told *w)
{
	struct dbl_locks *locks = w->client->locks;
	int64_t at;

	dbl_lock(&locks->mutex);
	at = dbl_wait_due_at(&w->wait);
	dbl_unlock(&locks->mutex);
	return at <= dbl_now(locks->env);
}

enum { STEPS = 20 };

/* It is in the queue, and nothing is left to do but to wait. */
static void waits_on(struct told *w)
{
	for (int steps = 0; steps < STEPS;) {
		int rc = step(w);

		if (rc != DBLOCK_WAITING)
			fail_msg("%s instead of a wait", dblock_outcome_name(rc));
		if (is_due(w))
			steps++;
		else if (in_queue(w->scene->raw) == 1)
			return;
		else
			sleep_ms(2);
	}
	fail_msg("it looks again and again");
}

static bool is_told(struct told *w)
{
	return dbl_notifier_tell_own(w->client->locks, w->word.holder, w->word.token,
				     DBL_WAY_DATAGRAM);
}

static void is_handed_the_lock(struct told *w)
{
	w->word = puppet_hands_over(w->scene->puppet, "x");
	assert_true(w->word.done && w->word.holder == w->wait.waiter.nonce);
	assert_true(is_told(w));
}

/* The database is as it was before it. */
static void forget_that(struct told *w)
{
	const struct puppet *p = w->scene->puppet;

	raw_exec(w->scene->raw,
		 "UPDATE dblock_lock SET token = %lld, nonce = %lld, session = '%s', lease = NULL,"
		 " expires = NULL, served = %lld, queued = true WHERE name = 'x'",
		 (long long)p->token, (long long)p->nonce, p->id, (long long)w->served);
}

static void begin(struct told *w, struct scene *s, int64_t lease_ms)
{
	*w = (struct told){.scene = s, .spy = spy_new()};
	w->client = spy_client(w->spy, 0);
	w->spec = (struct dbl_acquire_spec){
		.name = "x", .weight = 1, .lease = dbl_ms(lease_ms), .wait_until = DBL_NEVER};
	assert_true(puppet_takes(s->puppet, "x"));
	w->served = row_of(s->raw, "served");
	expect_at(dbl_wait_begin(&w->wait, w->client->locks, &w->spec, &w->err), DBLOCK_OK, &w->err,
		  "dbl_wait_begin", __FILE__, __LINE__);
	waits_on(w);
}

/* The wait gets the lock; a step that is due, and does nothing, counts. */
static void gets_it(struct told *w)
{
	int rc;

	for (int steps = 0; (rc = step(w)) == DBLOCK_WAITING && steps < STEPS;) {
		if (is_due(w))
			steps++;
		else
			sleep_ms(2);
	}
	expect_at(rc, DBLOCK_OK, &w->err, "dbl_wait_step", __FILE__, __LINE__);
	dbl_wait_end(&w->wait);
	assert_true(dblock_valid(w->lock, 0));
	give(w->lock);
	dblock_close(w->client, NULL);
	spy_free(w->spy);
	is_free(w->scene->a, "x");
}

static void waits_on_and_gets_it(struct told *w)
{
	waits_on(w);
	is_handed_the_lock(w);
	gets_it(w);
}

/* It looks, as it has to read when its lease ends. */
static void with_a_lease(void **state)
{
	struct told w;

	begin(&w, *state, LEASE_MS);
	is_handed_the_lock(&w);
	forget_that(&w);
	waits_on_and_gets_it(&w);
}

/* The heartbeat, which has a link of its own, may be hit instead. */
static void lose_a_connection(struct told *w)
{
	const struct dbl_link *link = w->client->locks->link;
	int64_t changes = dbl_link_changes(link);

	while (dbl_link_changes(link) == changes) {
		spy_hit_nth(w->spy, 1, SPY_LOST_BEFORE);
		(void)show(w->client, "x");
	}
}

/* It looks, as its client has lost a connection since it joined the queue. It is told twice, as by a channel
 * whose own connection has read what was granted, and by a client that was stopped. Naive: as the wait has
 * looked since the loss, the word is believed then, and it returns a lock that another client holds. */
static void after_a_lost_connection(void **state)
{
	struct told w;

	begin(&w, *state, 0);
	lose_a_connection(&w);
	is_handed_the_lock(&w);
	forget_that(&w);
	waits_on(&w);
	assert_true(is_told(&w));
	waits_on_and_gets_it(&w);
}

/* Its place is forgotten as well: it joins the queue anew. */
static void its_row_is_gone(void **state)
{
	struct told w;

	begin(&w, *state, LEASE_MS);
	is_handed_the_lock(&w);
	forget_that(&w);
	raw_exec(w.scene->raw, "DELETE FROM dblock_queue");
	waits_on_and_gets_it(&w);
}

/* The database has forgotten the holder's grant as well: the wait takes the lock. */
static void and_nobody_has_it(void **state)
{
	struct told w;

	begin(&w, *state, LEASE_MS);
	is_handed_the_lock(&w);
	forget_that(&w);
	raw_exec(w.scene->raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = 'x'");
	gets_it(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(with_a_lease),
		CASE(after_a_lost_connection),
		CASE(its_row_is_gone),
		CASE(and_nobody_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
