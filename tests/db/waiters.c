/* SPDX-License-Identifier: MIT */
/* The line of those who wait, as it is listed: order, places, who counts, pages. */
#include "support/raw.h"

enum { SEEN_MAX = 600 };

/* What a listing showed. */
struct seen {
	struct {
		char name[256], host[256], app[64], session[64], value[64];
		struct dblock_waiter w;
	} row[SEEN_MAX];
	int n;
	int stop_at; /* the callback ends the listing with 7 at this one; 0: never */
};

static struct seen seen;
static struct dblock_client *client;
static struct raw *raw;

#define COPY(member)                                                                               \
	snprintf(seen.row[seen.n].member, sizeof(seen.row[0].member), "%s", waiter->member)

static int note(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg;
	assert_true(waiter->size == sizeof(*waiter));
	assert_true(seen.n < SEEN_MAX);
	COPY(name);
	COPY(host);
	COPY(app);
	COPY(session);
	COPY(value);
	seen.row[seen.n].w = *waiter;
	/* The client can be used in here. */
	if (seen.n == 0)
		(void)show(client, waiter->name);
	return ++seen.n == seen.stop_at ? 7 : 0;
}

static void list_with(const struct dblock_waiters_options *options)
{
	struct dblock_error err = {0};

	seen.n = seen.stop_at = 0;
	expect(OK, dblock_waiters(client, options, note, NULL, &err));
}

static void list(const char *name)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;

	options.name = name;
	list_with(&options);
}

static void list_after(const char *name, const char *after, int64_t ticket, int64_t limit)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;

	options.name = name;
	options.after = after;
	options.after_ticket = ticket;
	options.limit = limit;
	list_with(&options);
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	raw = raw_open(NULL);
	raw_exec(raw, "DELETE FROM dblock_waiter");
	raw_exec(raw, "UPDATE dblock_lock SET served = 0");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client);
	raw_close(raw);
	return 0;
}

/* ---- those who really wait ------------------------------------------------------------------ */

/* A thread that waits for a lock, gives it back, and ends. */
struct sleeper {
	struct dblock_client *client;
	const char *name, *value;
	int64_t lease_ms;
	pthread_t thread;
	pid_t tid;
	struct dblock_error err;
	int rc;
};

static void *sleep_body(void *arg)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct sleeper *s = arg;
	struct dblock_lock *lock;

	options.value = s->value;
	options.lease_ms = s->lease_ms;
	s->tid = gettid();
	s->rc = dblock_acquire(s->client, s->name, &options, &lock, &s->err);
	if (s->rc == 0)
		s->rc = dblock_release(lock, &s->err);
	return NULL;
}

/* The row is there, and has been announced, before the next one begins. */
static void sleeper_begin(struct sleeper *s)
{
	int64_t before = show(client, s->name).h.waiting;
	int64_t until = clock_ms() + PLENTY_MS;

	assert_int_equal(pthread_create(&s->thread, NULL, sleep_body, s), 0);
	while (show(client, s->name).h.waiting == before && clock_ms() < until)
		sleep_ms(5);
	assert_int_equal(show(client, s->name).h.waiting, before + 1);
}

static void sleeper_end(struct sleeper *s)
{
	pthread_join(s->thread, NULL);
	expect_at(s->rc, DBLOCK_OK, &s->err, "a sleeper", __FILE__, __LINE__);
}

static void is_seen(int i, const char *name, int64_t place, const struct sleeper *s)
{
	struct timespec now;
	char host[256];

	gethostname(host, sizeof(host));
	clock_gettime(CLOCK_REALTIME, &now);
	assert_string_equal(seen.row[i].name, name);
	assert_int_equal(seen.row[i].w.place, place);
	assert_string_equal(seen.row[i].value, s->value ? s->value : "");
	assert_int_equal(seen.row[i].w.lease_ms, s->lease_ms);
	assert_int_equal(seen.row[i].w.pid, getpid());
	assert_int_equal(seen.row[i].w.thread, s->tid);
	assert_string_equal(seen.row[i].host, host);
	assert_string_equal(seen.row[i].app, "the sleepers");
	assert_int_equal(strlen(seen.row[i].session), 32);
	assert_false(seen.row[i].w.session_dead);
	assert_false(seen.row[i].w.session_missing);
	assert_false(seen.row[i].w.session_late);
	assert_true(llabs(seen.row[i].w.since_us / 1000000 - now.tv_sec) < 120);
	assert_true(seen.row[i].w.waiting_ms >= 0 && seen.row[i].w.waiting_ms < 120000);
}

static void who_waits_in_order(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_lock *x = take(client, "x"), *y = take(client, "y");
	struct sleeper s[] = {{.name = "y", .value = "first of y"},
			      {.name = "x"},
			      {.name = "x", .value = "second of x", .lease_ms = 5000},
			      {.name = "y"},
			      {.name = "x"}};

	(void)state;
	options.app = "the sleepers";
	options.timeout_ms = PLENTY_MS;
	for (int i = 0; i < 5; i++) {
		s[i].client = client_with(&options);
		sleeper_begin(&s[i]);
	}
	list(NULL);
	assert_int_equal(seen.n, 5);
	is_seen(0, "x", 1, &s[1]);
	is_seen(1, "x", 2, &s[2]);
	is_seen(2, "x", 3, &s[4]);
	is_seen(3, "y", 1, &s[0]);
	is_seen(4, "y", 2, &s[3]);
	assert_true(seen.row[0].w.ticket < seen.row[1].w.ticket);
	assert_true(seen.row[1].w.ticket < seen.row[2].w.ticket);
	/* Who came before has waited for longer. */
	assert_true(seen.row[0].w.waiting_ms >= seen.row[2].w.waiting_ms);
	list("y");
	assert_int_equal(seen.n, 2);
	is_seen(0, "y", 1, &s[0]);
	is_seen(1, "y", 2, &s[3]);
	assert_int_equal(show(client, "x").h.waiting, 3);
	give(x);
	give(y);
	for (int i = 0; i < 5; i++)
		sleeper_end(&s[i]);
	list(NULL);
	assert_int_equal(seen.n, 0);
	assert_int_equal(show(client, "x").h.waiting, 0);
	for (int i = 0; i < 5; i++)
		dblock_close(s[i].client);
}

/* ---- rows by hand --------------------------------------------------------------------------- */

/* Into the line, by the session that holds a lock of that name. */
static void add(const char *name, const char *whose)
{
	const char *ticket =
		on_backend("sqlite")
			? "(SELECT coalesce(max(w.ticket), 0) + 1 FROM dblock_waiter w)"
			: NULL;

	raw_exec(raw,
		 "INSERT INTO dblock_waiter (name, %s nonce, session, thread, bell, since) "
		 "SELECT '%s', %s%s 4711, l.session, 1, '', {now} FROM dblock_lock l "
		 "WHERE l.name = '%s'",
		 ticket ? "ticket," : "", name, ticket ? ticket : "", ticket ? "," : "", whose);
	raw_exec(raw, "UPDATE dblock_lock SET queued = true WHERE name = '%s'", name);
}

static int64_t ticket(const char *name, int i)
{
	return raw_int(raw,
		       "SELECT ticket FROM dblock_waiter WHERE name = '%s' "
		       "ORDER BY ticket LIMIT 1 OFFSET %d",
		       name, i);
}

static void forget_line(const char *name)
{
	raw_exec(raw, "DELETE FROM dblock_waiter WHERE name = '%s'", name);
	raw_exec(raw, "UPDATE dblock_lock SET queued = false WHERE name = '%s'", name);
}

/* A client that will not beat for long, and holds that lock. */
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
	add("x", "alive"); /* has been served */
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
	/* And so says the view for people. */
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_waiting WHERE name = 'x'"), 6);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_waiting WHERE place IS NULL"),
			 3);
	assert_int_equal(raw_int(raw, "SELECT max(place) FROM dblock_waiting"), 3);
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_waiting "
				      "WHERE seconds BETWEEN 0 AND 120"),
			 6);
	forget_line("x");
	give(lock);
	for (int i = 0; i < 4; i++)
		dblock_close(of[i]);
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
			assert_int_equal(seen.row[i].w.place, total < 450 ? total + 1 : total - 449);
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
	/* Behind one of the line; behind a name before it, and behind one after it. */
	list_after("x", "x", ticket("x", 399), 0);
	assert_int_equal(seen.n, 50);
	assert_int_equal(seen.row[0].w.place, 401);
	list_after("x", "a", ticket("x", 399), 0);
	assert_int_equal(seen.n, 450);
	list_after("x", "xx", 0, 0);
	assert_int_equal(seen.n, 0);
	/* The limit counts what is shown, not what is looked at. */
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
	forget_line("x");
	forget_line("y");
	give(x);
	give(y);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(who_waits_in_order),
		CASE(who_counts),
		CASE(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
