/* SPDX-License-Identifier: MIT */
/* The queue as it is listed: which rows count, and how pages follow. Its rows are made by hand. */
#include "db/lock/admin/waiters_kit.h"

/* Puts a row into the queue, of the session that holds the lock `whose`. */
static void add(const char *name, const char *whose)
{
	const char *ticket = on_backend("sqlite")
				     ? "(SELECT coalesce(max(w.ticket), 0) + 1 FROM dblock_queue w)"
				     : NULL;

	raw_exec(raw,
		 "INSERT INTO dblock_queue (name, %s nonce, session, thread, bell, since) "
		 "SELECT '%s', %s%s 4711, l.session, 1, '', {now} FROM dblock_lock l "
		 "WHERE l.name = '%s'",
		 ticket ? "ticket," : "", name, ticket ? ticket : "", ticket ? "," : "", whose);
	raw_exec(raw, "UPDATE dblock_lock SET queued = true WHERE name = '%s'", name);
}

static int64_t ticket(const char *name, int i)
{
	return raw_int(raw,
		       "SELECT ticket FROM dblock_queue WHERE name = '%s' "
		       "ORDER BY ticket LIMIT 1 OFFSET %d",
		       name, i);
}

static void forget_queue(const char *name)
{
	raw_exec(raw, "DELETE FROM dblock_queue WHERE name = '%s'", name);
	raw_exec(raw, "UPDATE dblock_lock SET queued = false WHERE name = '%s'", name);
}

/* Returns a client that will send no heartbeat for long, and holds that lock. */
static struct dblock_client *client_of(const char *name)
{
	struct dblock_client *its = client_new(24 * 3600 * 1000);

	take(its, name);
	return its;
}

static void who_counts(void **state)
{
	static const char *const names[] = {"alive", "dead", "late", "gone"};
	struct dblock_client *of[4];
	struct dblock_lock *lock = take(client, "x");

	(void)state;
	for (int i = 0; i < 4; i++)
		of[i] = client_of(names[i]);
	add("x", "alive"); /* this one has been granted the lock */
	add("x", "dead");
	add("x", "alive");
	add("x", "gone");
	add("x", "late");
	add("x", "dead");
	add("x", "alive");
	raw_exec(raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'",
		 show(client, "dead").session);
	raw_exec(raw, "UPDATE dblock_session SET expires = {boot} - 1 WHERE id = '%s'",
		 show(client, "late").session);
	raw_exec(raw, "DELETE FROM dblock_session WHERE id = '%s'", show(client, "gone").session);
	raw_exec(raw, "UPDATE dblock_lock SET served = %lld WHERE name = 'x'",
		 (long long)ticket("x", 0));

	list("x");
	assert_int_equal(seen.n, 6);
	for (int i = 0; i < 6; i++) {
		static const int places[] = {0, 1, 0, 2, 0, 3};
		static const char *const who = "dagLda";

		assert_int_equal(seen.row[i].w.place, places[i]);
		assert_int_equal(seen.row[i].w.session_dead, who[i] == 'd');
		assert_int_equal(seen.row[i].w.session_missing, who[i] == 'g');
		assert_int_equal(seen.row[i].w.session_late, who[i] == 'L');
	}
	list(NULL);
	assert_int_equal(seen.n, 6);
	assert_int_equal(seen.row[5].w.place, 3);
	assert_int_equal(show(client, "x").h.waiting, 3);
	/* The view for people says the same. */
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_waits WHERE name = 'x'"), 6);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_waits WHERE place IS NULL"), 3);
	assert_int_equal(raw_int(raw, "SELECT max(place) FROM dblock_waits"), 3);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_waits "
				      "WHERE seconds BETWEEN 0 AND 120"),
			 6);
	forget_queue("x");
	give(lock);
	for (int i = 0; i < 4; i++)
		dblock_close(of[i], NULL);
}

static void page_by_page(int page)
{
	char name[256] = "";
	int64_t last = 0, total = 0;

	for (;;) {
		list_after(NULL, name, last, page);
		if (seen.n == 0)
			break;
		assert_true(seen.n <= page);
		for (int i = 0; i < seen.n; i++, total++) {
			assert_string_equal(seen.row[i].name, total < 450 ? "x" : "y");
			assert_int_equal(seen.row[i].w.place,
					 total < 450 ? total + 1 : total - 449);
		}
		strcpy(name, seen.row[seen.n - 1].name);
		last = seen.row[seen.n - 1].w.ticket;
	}
	assert_int_equal(total, 453);
}

/* The library reads in pages of 200. */
static void long_lines(void **state)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *x = take(client, "x"), *y = take(client, "y");

	(void)state;
	raw_exec(raw, "BEGIN");
	for (int i = 0; i < 453; i++)
		add(i % 150 == 7 && i < 450 ? "y" : "x", "x");
	raw_exec(raw, "COMMIT");
	list(NULL);
	assert_int_equal(seen.n, 453);
	for (int i = 0; i < 453; i++) {
		assert_string_equal(seen.row[i].name, i < 450 ? "x" : "y");
		assert_int_equal(seen.row[i].w.place, i < 450 ? i + 1 : i - 449);
	}
	list("x");
	assert_int_equal(seen.n, 450);
	assert_int_equal(seen.row[449].w.place, 450);
	list("y");
	assert_int_equal(seen.n, 3);
	for (int limit = 199; limit <= 201; limit++) {
		list_after("x", NULL, 0, limit);
		assert_int_equal(seen.n, limit);
		page_by_page(limit);
	}
	/* A page begins behind one of the queue, behind a name before it, and behind one after it.
	 */
	list_after("x", "x", ticket("x", 399), 0);
	assert_int_equal(seen.n, 50);
	assert_int_equal(seen.row[0].w.place, 401);
	list_after("x", "a", ticket("x", 399), 0);
	assert_int_equal(seen.n, 450);
	list_after("x", "xx", 0, 0);
	assert_int_equal(seen.n, 0);
	/* The limit counts the rows that are shown, not those that are read. */
	options.pattern = "?";
	options.limit = 451;
	list_with(&options);
	assert_int_equal(seen.n, 451);
	options.pattern = "[y]";
	list_with(&options);
	assert_int_equal(seen.n, 0);
	options.pattern = "y*";
	options.limit = 2;
	list_with(&options);
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.row[0].name, "y");
	assert_int_equal(seen.row[1].w.place, 2);

	seen.n = 0;
	seen.stop_at = 3;
	assert_int_equal(dblock_waiters(client, NULL, note, NULL, &err), 7);
	assert_int_equal(seen.n, 3);
	forget_queue("x");
	forget_queue("y");
	give(x);
	give(y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(who_counts),
		CASE(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
