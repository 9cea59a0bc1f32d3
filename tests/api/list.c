/* SPDX-License-Identifier: MIT */
/* Listing: byte order, patterns, pages, what is shown of a holder. */
#include "support/kit.h"

/* What a listing showed, one name after the other. */
struct seen {
	char names[600][256];
	int n;
	int stop_at;               /* the callback ends the listing with 7 at this one; 0: never */
	struct dblock_client *use; /* the callback may use the client */
};

static int note(void *arg, const struct dblock_holder *holder)
{
	struct seen *seen = arg;

	assert_true(holder->size == sizeof(*holder));
	snprintf(seen->names[seen->n++], sizeof(seen->names[0]), "%s", holder->name);
	if (seen->use)
		(void)show(seen->use, holder->name);
	return seen->n == seen->stop_at ? 7 : 0;
}

static struct seen *list(struct dblock_client *client, const char *pattern, const char *after,
			 int64_t limit, int free_too)
{
	static struct seen seen;
	struct dblock_list_options options = DBLOCK_LIST_OPTIONS_INIT;
	struct dblock_error err = {0};

	seen.n = seen.stop_at = 0;
	seen.use = NULL;
	options.pattern = pattern;
	options.after = after;
	options.limit = limit;
	options.free_too = free_too;
	expect(OK, dblock_list(client, &options, note, &seen, &err));
	return &seen;
}

/* Names from a list that ends with NULL, exactly these, in this order. */
static void shows(const struct seen *seen, const char *const *names)
{
	int n = 0;

	for (; names[n]; n++) {
		assert_true(n < seen->n);
		assert_string_equal(seen->names[n], names[n]);
	}
	assert_int_equal(seen->n, n);
}

#define SHOWS(seen, ...) shows((seen), (const char *const[]){__VA_ARGS__, NULL})

static struct dblock_client *client;

/* Each test holds by a client of its own, which is closed at its end: so none sees another's. */
static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	return 0;
}

static void in_byte_order(void **state)
{
	(void)state;
	take(client, "b");
	take(client, "a");
	take(client, "B");
	take(client, "\xc3\xa9");
	take(client, "a b");
	take(client, "_");
	take(client, "\xf0\x9f\x94\x92");
	take(client, "\xef\xbf\xbd"); /* UTF-16 would put it behind the lock */
	SHOWS(list(client, NULL, NULL, 0, 0), "B", "_", "a", "a b", "b", "\xc3\xa9", "\xef\xbf\xbd",
	      "\xf0\x9f\x94\x92");
}

static void patterns(void **state)
{
	(void)state;
	take(client, "job/a");
	take(client, "job/b");
	take(client, "job/\xc3\xa9");
	take(client, "job/\xf0\x9f\x94\x92");
	take(client, "jobs");
	take(client, "50%_*");
	take(client, "a\\b");
	SHOWS(list(client, "job/*", NULL, 0, 0), "job/a", "job/b", "job/\xc3\xa9",
	      "job/\xf0\x9f\x94\x92");
	SHOWS(list(client, "job/?", NULL, 0, 0), "job/a", "job/b", "job/\xc3\xa9",
	      "job/\xf0\x9f\x94\x92");
	SHOWS(list(client, "*/\xc3\xa9", NULL, 0, 0), "job/\xc3\xa9");
	SHOWS(list(client, "job?", NULL, 0, 0), "jobs");
	SHOWS(list(client, "*\\**", NULL, 0, 0), "50%_*");
	SHOWS(list(client, "50%*", NULL, 0, 0), "50%_*");
	SHOWS(list(client, "*%_*", NULL, 0, 0), "50%_*");
	SHOWS(list(client, "a\\\\b", NULL, 0, 0), "a\\b");
	SHOWS(list(client, "*b*s*", NULL, 0, 0), "jobs");
	SHOWS(list(client, "jobs", NULL, 0, 0), "jobs");
	assert_int_equal(list(client, "job", NULL, 0, 0)->n, 0);
	assert_int_equal(list(client, "JOBS", NULL, 0, 0)->n, 0);
	assert_int_equal(list(client, "?", NULL, 0, 0)->n, 0);
	assert_int_equal(list(client, "*", NULL, 0, 0)->n, 7);
	assert_int_equal(list(client, "", NULL, 0, 0)->n, 0);
}

static void free_names(void **state)
{
	struct dblock_lock *lock = take(client, "free");

	(void)state;
	take(client, "held");
	give(lock);
	assert_int_equal(list(client, "[fh]*", NULL, 0, 1)->n, 0); /* no such thing as a set */
	SHOWS(list(client, "*e?d", NULL, 0, 0), "held");
	SHOWS(list(client, "held", NULL, 0, 0), "held");
	assert_int_equal(list(client, "free", NULL, 0, 0)->n, 0);
	SHOWS(list(client, "free", NULL, 0, 1), "free");
}

/* The library reads in pages of 200. */
static void many_names(void **state)
{
	static char held[450][16];
	struct seen *seen;

	(void)state;
	for (int i = 449; i >= 0; i--) {
		snprintf(held[i], sizeof(held[i]), "n%03d", i);
		take(client, held[i]);
	}
	seen = list(client, NULL, NULL, 0, 0);
	assert_int_equal(seen->n, 450);
	for (int i = 0; i < 450; i++)
		assert_string_equal(seen->names[i], held[i]);

	SHOWS(list(client, NULL, "n447", 0, 0), "n448", "n449");
	SHOWS(list(client, NULL, "n199", 2, 0), "n200", "n201");
	SHOWS(list(client, NULL, "n1999", 1, 0), "n200");
	assert_int_equal(list(client, NULL, "n449", 0, 0)->n, 0);
	for (int limit = 199; limit <= 201; limit++)
		assert_int_equal(list(client, NULL, NULL, limit, 0)->n, limit);
	assert_int_equal(list(client, NULL, NULL, 10000, 0)->n, 450);
	/* The limit counts what is shown, not what is looked at. */
	SHOWS(list(client, "n??9", "n400", 3, 0), "n409", "n419", "n429");
	SHOWS(list(client, "*49", NULL, 3, 0), "n049", "n149", "n249");
}

/* Page after page by `after`, as a program would. */
static void page_by_page(void **state)
{
	char after[256] = "", name[16];
	int total = 0;

	(void)state;
	for (int i = 0; i < 25; i++) {
		snprintf(name, sizeof(name), "n%02d", i);
		take(client, name);
	}
	for (;;) {
		struct seen *seen = list(client, NULL, after, 10, 0);

		if (seen->n == 0)
			break;
		total += seen->n;
		strcpy(after, seen->names[seen->n - 1]);
	}
	assert_int_equal(total, 25);
}

static void a_callback_can_end_it(void **state)
{
	static struct seen seen;
	struct dblock_error err = {0};

	(void)state;
	take(client, "a");
	take(client, "b");
	take(client, "c");
	seen.n = 0;
	seen.stop_at = 2;
	assert_int_equal(dblock_list(client, NULL, note, &seen, &err), 7);
	assert_int_equal(seen.n, 2);
	seen.n = 0;
	seen.stop_at = 1;
	assert_int_equal(dblock_show(client, "b", note, &seen, &err), 7);
}

static void a_callback_may_use_the_client(void **state)
{
	static struct seen seen;
	struct dblock_error err = {0};

	(void)state;
	take(client, "a");
	take(client, "b");
	seen.n = seen.stop_at = 0;
	seen.use = client;
	expect(OK, dblock_list(client, NULL, note, &seen, &err));
	assert_int_equal(seen.n, 2);
}

static void what_is_shown_of_a_holder(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct timespec now;
	char host[256];
	struct shown s;
	int64_t token, read_ms;

	(void)state;
	gethostname(host, sizeof(host));
	options.value = "why";
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	token = dblock_token(lock);
	clock_gettime(CLOCK_REALTIME, &now);
	s = show(client, "x");
	assert_int_equal(s.h.hold, DBLOCK_HOLD_SESSION);
	assert_int_equal(s.h.token, token);
	assert_string_equal(s.host, host);
	assert_int_equal(s.h.pid, getpid());
	assert_true(s.h.thread > 0);
	assert_int_equal(s.h.reentry, 1);
	assert_int_equal(strlen(s.session), 32);
	assert_false(s.h.session_dead);
	assert_false(s.h.session_missing);
	assert_string_equal(s.value, "why");
	/* The servers run on this machine: within a minute of our own clock. */
	assert_true(llabs(s.h.acquired_us / 1000000 - now.tv_sec) < 60);
	assert_true(llabs(s.h.expires_us / 1000000 - now.tv_sec) < 90);
	assert_true(s.h.left_ms > 0 && s.h.left_ms <= 30000);
	assert_true(s.h.held_ms >= 0 && s.h.held_ms < 60000);
	/* Both are from the one time of the reading. */
	read_ms = s.h.expires_us / 1000 - s.h.left_ms;
	assert_true(llabs(s.h.acquired_us / 1000 + s.h.held_ms - read_ms) <= 3);
	give(lock);

	s = show(client, "x");
	assert_int_equal(s.h.hold, DBLOCK_HOLD_FREE);
	assert_int_equal(s.h.token, token);
	assert_string_equal(s.host, host);
	assert_string_equal(s.session, "");
	assert_string_equal(s.value, "");
	assert_int_equal(s.h.expires_us, 0);
	expect(STALE, dblock_show(client, "nobody ever had it", keep_shown, &s, &err));
	message_has("'nobody ever had it'");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(in_byte_order),
		CASE(patterns),
		CASE(free_names),
		CASE(many_names),
		CASE(page_by_page),
		CASE(a_callback_can_end_it),
		CASE(a_callback_may_use_the_client),
		CASE(what_is_shown_of_a_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
