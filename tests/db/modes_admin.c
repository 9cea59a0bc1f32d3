/* SPDX-License-Identifier: MIT */
/* What operators see of modes, and do about them: list, show, who waits, the views, break, reap. */
#include "support/raw.h"

struct scene {
	struct dblock_client *client, *other;
	struct raw *raw;
	int64_t ticket;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->client = client_new(0);
	s->other = client_new(0);
	s->raw = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	raw_exec(s->raw, "DELETE FROM dblock_lock");
	s->ticket = 1000000;
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	dblock_close(s->client);
	dblock_close(s->other);
	free(s);
	return 0;
}

/* ---- who holds, and who waits -------------------------------------------------------------------
 */

static struct dblock_acquire_options permits(int64_t n, int64_t capacity)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.mode = DBLOCK_PERMITS;
	options.permits = n;
	options.capacity = capacity;
	return options;
}

static struct dblock_lock *take_with(struct dblock_client *client, const char *name,
				     struct dblock_acquire_options options)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static struct dblock_lock *take_as(struct dblock_client *client, const char *name,
				   enum dblock_mode mode)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.mode = mode;
	return take_with(client, name, options);
}

/* One who waits by the session of `other`, and never looks: whoever it is given to was given by
 * others. Its nonce is its name. */
static void put_in_line(struct scene *s, const char *name, int64_t nonce, enum dblock_mode mode)
{
	bool counts = mode == DBLOCK_PERMITS, draws = on_backend("sqlite");
	char ticket[32] = "";

	if (draws)
		snprintf(ticket, sizeof(ticket), "%lld,", (long long)s->ticket++);
	take(s->other, "alive"); /* it has a session then */
	raw_exec(s->raw,
		 "INSERT INTO dblock_queue (%s name, nonce, session, thread, bell, since, mode, "
		 "weight, capacity) SELECT %s '%s', %lld, session, 1, '', {now}, %d, %d, %s "
		 "FROM dblock_lock WHERE name = 'alive'",
		 draws ? "ticket," : "", ticket, name, (long long)nonce, (int)mode, counts ? 2 : 1,
		 counts ? "5" : "NULL");
	raw_exec(s->raw,
		 "UPDATE dblock_lock SET queued = true, queue_version = queue_version + 1 "
		 "WHERE name = '%s'",
		 name);
}

struct seen {
	struct dblock_holder h[600];
	struct dblock_waiter w[16];
	int n;
};

static int note_holder(void *arg, const struct dblock_holder *holder)
{
	struct seen *seen = arg;

	assert_true(holder->size == sizeof(*holder));
	seen->h[seen->n++] = *holder;
	return 0;
}

static int note_waiter(void *arg, const struct dblock_waiter *waiter)
{
	struct seen *seen = arg;

	assert_true(waiter->size == sizeof(*waiter));
	seen->w[seen->n++] = *waiter;
	return 0;
}

static struct seen *holders(struct dblock_client *client, const char *name)
{
	static struct seen seen;
	struct dblock_error err = {0};

	seen.n = 0;
	expect(OK, dblock_show(client, name, note_holder, &seen, &err));
	return &seen;
}

static struct seen *listed(struct dblock_client *client, const char *pattern, int64_t limit)
{
	static struct seen seen;
	struct dblock_list_options options = DBLOCK_LIST_OPTIONS_INIT;
	struct dblock_error err = {0};

	seen.n = 0;
	options.pattern = pattern;
	options.limit = limit;
	expect(OK, dblock_list(client, &options, note_holder, &seen, &err));
	return &seen;
}

static struct seen *in_line(struct dblock_client *client, const char *name)
{
	static struct seen seen;
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_error err = {0};

	seen.n = 0;
	options.name = name;
	expect(OK, dblock_waiters(client, &options, note_waiter, &seen, &err));
	return &seen;
}

static void is_held_so(const struct dblock_holder *h, const struct dblock_lock *lock,
		       enum dblock_mode mode, int64_t n, int64_t capacity)
{
	assert_int_equal(h->token, dblock_token(lock));
	assert_int_equal(h->hold, DBLOCK_HOLD_SESSION);
	assert_int_equal(h->mode, mode);
	assert_int_equal(h->permits, n);
	assert_int_equal(h->capacity, capacity);
	assert_int_equal(h->pid, getpid());
}

static void each_holder_with_its_mode(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *update = take_as(s->client, "x", DBLOCK_UPDATE);
	struct dblock_lock *reader = take_as(s->other, "x", DBLOCK_SHARED);
	struct dblock_lock *three = take_with(s->client, "y", permits(3, 10));
	struct dblock_lock *one = take_with(s->other, "y", permits(1, 10));
	struct dblock_lock *alone = take(s->client, "z");
	struct seen *seen = holders(s->client, "x");

	assert_int_equal(seen->n, 2);
	is_held_so(&seen->h[0], update, DBLOCK_UPDATE, 0, 0);
	is_held_so(&seen->h[1], reader, DBLOCK_SHARED, 0, 0);
	seen = holders(s->client, "z");
	assert_int_equal(seen->n, 1);
	is_held_so(&seen->h[0], alone, DBLOCK_EXCLUSIVE, 0, 0);
	seen = listed(s->client, NULL, 0);
	assert_int_equal(seen->n, 5);
	is_held_so(&seen->h[1], reader, DBLOCK_SHARED, 0, 0);
	is_held_so(&seen->h[2], three, DBLOCK_PERMITS, 3, 10);
	is_held_so(&seen->h[3], one, DBLOCK_PERMITS, 1, 10);
	is_held_so(&seen->h[4], alone, DBLOCK_EXCLUSIVE, 0, 0);
	give(reader);
	give(three);
	give(one);
	/* Free, once nobody is left: one that says who had it. */
	give(update);
	seen = holders(s->client, "x");
	assert_int_equal(seen->n, 1);
	assert_int_equal(seen->h[0].hold, DBLOCK_HOLD_FREE);
	assert_int_equal(seen->h[0].mode, DBLOCK_EXCLUSIVE);
	assert_int_equal(listed(s->client, NULL, 0)->n, 1);
	give(alone);
}

/* The library reads in pages of 200. */
static void more_holders_than_a_page(void **state)
{
	struct scene *s = *state;
	static struct dblock_lock *locks[210];
	struct seen *seen;

	for (int i = 0; i < 210; i++)
		locks[i] = take_with(s->client, "many", permits(1, 1000));
	take(s->client, "zz");
	seen = holders(s->client, "many");
	assert_int_equal(seen->n, 210);
	for (int i = 0; i < 210; i++)
		assert_int_equal(seen->h[i].token, dblock_token(locks[i]));
	assert_int_equal(listed(s->client, "many", 0)->n, 210);
	assert_int_equal(listed(s->client, "many", 205)->n, 205);
	assert_int_equal(listed(s->client, NULL, 0)->n, 211);
}

static void who_waits_with_its_mode(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");
	struct seen *seen;

	put_in_line(s, "x", 71, DBLOCK_SHARED);
	put_in_line(s, "x", 72, DBLOCK_PERMITS);
	put_in_line(s, "x", 73, DBLOCK_UPDATE);
	put_in_line(s, "x", 74, DBLOCK_EXCLUSIVE);
	seen = in_line(s->client, "x");
	assert_int_equal(seen->n, 4);
	assert_int_equal(seen->w[0].mode, DBLOCK_SHARED);
	assert_int_equal(seen->w[0].permits, 0);
	assert_int_equal(seen->w[0].capacity, 0);
	assert_int_equal(seen->w[1].mode, DBLOCK_PERMITS);
	assert_int_equal(seen->w[1].permits, 2);
	assert_int_equal(seen->w[1].capacity, 5);
	assert_int_equal(seen->w[2].mode, DBLOCK_UPDATE);
	assert_int_equal(seen->w[3].mode, DBLOCK_EXCLUSIVE);
	assert_int_equal(seen->w[3].place, 4);
	assert_int_equal(holders(s->client, "x")->h[0].waiting, 4);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	give(lock);
}

/* Naive: only the locks' own rows; rows of the dead; those who hold among those who wait. */
static void the_views(void **state)
{
	struct scene *s = *state;
	struct dblock_client *dead = client_new(0);
	struct dblock_lock *lock = take_as(s->client, "x", DBLOCK_SHARED), *theirs;
	struct dblock_acquire_options options = permits(2, 3);

	options.lease_ms = 600000;
	theirs = take_with(s->client, "y", options);
	take_as(dead, "x", DBLOCK_SHARED);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_held WHERE name = 'x'"), 2);
	raw_exec(s->raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'",
		 show(s->client, "x").session);
	put_in_line(s, "x", 71, DBLOCK_UPDATE);
	put_in_line(s, "y", 72, DBLOCK_PERMITS);
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_held WHERE name = 'x'"),
			    "shared");
	assert_int_equal(raw_int(s->raw, "SELECT token FROM dblock_held WHERE name = 'x'"),
			 dblock_token(lock));
	assert_string_equal(raw_text(s->raw, "SELECT held_by FROM dblock_held WHERE name = 'x'"),
			    "session");
	assert_string_equal(raw_text(s->raw, "SELECT held_by FROM dblock_held WHERE name = 'y'"),
			    "lease");
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_held WHERE name = 'y'"),
			    "permits");
	assert_int_equal(raw_int(s->raw, "SELECT weight * 100 + capacity FROM dblock_held "
					 "WHERE name = 'y'"),
			 203);
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_held WHERE name = 'alive'"),
			    "exclusive");
	for (int i = 0; i < 6; i++)
		print_message(
			"%s\n",
			raw_text(s->raw,
				 "SELECT name FROM dblock_held ORDER BY name LIMIT 1 OFFSET %d",
				 i));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_held"), 3);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_waits WHERE place = 1"), 2);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_waits"), 2);
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_waits WHERE name = 'x'"),
			    "update");
	assert_int_equal(raw_int(s->raw, "SELECT weight * 100 + capacity FROM dblock_waits "
					 "WHERE name = 'y'"),
			 205);
	give(theirs);
	give(lock);
	dblock_close(dead);
}

/* ---- break --------------------------------------------------------------------------------------
 */

static void break_one_or_all(void **state)
{
	struct scene *s = *state;
	struct dblock_client *third = client_new(0);
	struct dblock_lock *a = take_as(s->client, "x", DBLOCK_SHARED);
	struct dblock_lock *b = take_as(s->other, "x", DBLOCK_SHARED);
	struct dblock_lock *c = take_as(third, "x", DBLOCK_UPDATE);
	struct dblock_error err = {0};
	int64_t token = dblock_token(b);

	expect(OK, dblock_break(s->client, "x", token, 0, &err));
	assert_int_equal(holders(s->client, "x")->n, 2);
	expect(STALE, dblock_break(s->client, "x", token, 0, &err));
	expect(LOST, dblock_release(b, &err));
	assert_int_equal(holders(s->client, "x")->n, 2);

	put_in_line(s, "x", 71, DBLOCK_EXCLUSIVE);
	expect(OK, dblock_break(s->client, "x", 0, 0, &err));
	/* To who is first in line, with a larger token. */
	assert_int_equal(raw_int(s->raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"), 71);
	assert_true(show(s->client, "x").h.token > dblock_token(c));
	expect(LOST, dblock_release(a, &err));
	expect(LOST, dblock_release(c, &err));
	assert_int_equal(raw_int(s->raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"), 71);
	expect(OK, dblock_break(s->client, "x", 0, 0, &err));
	expect(STALE, dblock_break(s->client, "x", 0, 0, &err));
	dblock_close(third);
}

static void broken_permits_are_free(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *two = take_with(s->client, "x", permits(2, 5)), *lock;
	struct dblock_lock *three = take_with(s->other, "x", permits(3, 5));
	struct dblock_acquire_options options = permits(2, 5);
	struct dblock_error err = {0};

	expect(BUSY, dblock_try(s->client, "x", &options, &lock, &err));
	expect(OK, dblock_break(s->client, "x", dblock_token(two), 0, &err));
	lock = take_with(s->client, "x", options);
	expect(LOST, dblock_release(two, &err));
	give(three);
	give(lock);
}

/* ---- the reaper ---------------------------------------------------------------------------------
 */

static struct dblock_reaped reap(struct dblock_client *client)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped;
	struct dblock_error err = {0};

	options.purge_after_ms = -1;
	expect(OK, dblock_reap(client, &options, &reaped, &err));
	return reaped;
}

static void what_the_dead_hold_is_freed_and_the_line_served(void **state)
{
	struct scene *s = *state;
	struct dblock_client *dead = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lease;

	options.mode = DBLOCK_SHARED;
	options.lease_ms = 600000;
	take_as(dead, "x", DBLOCK_UPDATE);
	take_as(dead, "y", DBLOCK_SHARED);
	lease = take_with(s->client, "x", options);
	put_in_line(s, "x", 71, DBLOCK_EXCLUSIVE);
	put_in_line(s, "y", 72, DBLOCK_UPDATE);
	put_in_line(s, "y", 73, DBLOCK_SHARED);
	/* Nobody is dead: only the updater can go beside the reader, and the other one with it. */
	assert_int_equal(reap(s->client).locks_freed, 0);
	assert_int_equal(holders(s->client, "y")->n, 3);
	put_in_line(s, "y", 74, DBLOCK_UPDATE);

	raw_exec(s->raw, "UPDATE dblock_queue SET expires = {boot} - 1 WHERE token = %lld",
		 (long long)dblock_token(lease));
	assert_int_equal(reap(s->client).locks_freed, 1);
	assert_int_equal(holders(s->client, "x")->n, 1);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_queue WHERE name = 'x' "
					 "AND token IS NULL"),
			 1);

	raw_exec(s->raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'",
		 show(s->client, "x").session);
	assert_int_equal(reap(s->client).locks_freed, 2);
	assert_int_equal(raw_int(s->raw, "SELECT nonce FROM dblock_lock WHERE name = 'x'"), 71);
	assert_int_equal(holders(s->client, "y")->n, 2);
	assert_int_equal(reap(s->client).locks_freed, 0);
	dblock_close(dead);
}

/* However long nobody has come or gone. */
static void what_rows_hold_is_not_purged(void **state)
{
	struct scene *s = *state;
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_lock *lock = take_as(s->client, "x", DBLOCK_SHARED);
	struct dblock_reaped reaped;
	struct dblock_error err = {0};

	options.purge_after_ms = 1000;
	raw_exec(s->raw, "UPDATE dblock_lock SET acquired = 0, released = 0 WHERE name = 'x'");
	expect(OK, dblock_reap(s->client, &options, &reaped, &err));
	assert_int_equal(reaped.names_purged, 0);
	busy(s->other, "x");
	give(lock);
	raw_exec(s->raw, "UPDATE dblock_lock SET acquired = 0, released = 0 WHERE name = 'x'");
	expect(OK, dblock_reap(s->client, &options, &reaped, &err));
	assert_int_equal(reaped.names_purged, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_holder_with_its_mode),
		CASE(more_holders_than_a_page),
		CASE(who_waits_with_its_mode),
		CASE(the_views),
		CASE(break_one_or_all),
		CASE(broken_permits_are_free),
		CASE(what_the_dead_hold_is_freed_and_the_line_served),
		CASE(what_rows_hold_is_not_purged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
