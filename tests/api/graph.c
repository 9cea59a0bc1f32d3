/* SPDX-License-Identifier: MIT */
/* The wait-for graph: an edge for each that keeps somebody waiting, and no other. */
#include "support/call.h"
#include "support/steps.h"

enum { CLIENTS = 5 };

/* Each known by its letter: a, b, ... */
static struct dblock_client *clients[CLIENTS];

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < CLIENTS; i++) {
		struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
		const char app[] = {(char)('a' + i), '\0'};

		options.app = app;
		options.timeout_ms = PLENTY_MS;
		options.auto_migrate = 1;
		clients[i] = client_with(&options);
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int i = 0; i < CLIENTS; i++)
		dblock_close(clients[i], NULL);
	return 0;
}

/* ---- what it says ---------------------------------------------------------------------------- */

struct seen {
	char text[2000];
	int64_t tokens; /* their sum */
	int n, end_after;
};

/* "b>a x 0/1 lease;": b waits for a, for x, exclusive, that is held shared. */
static int note_edge(void *arg, const struct dblock_edge *e)
{
	struct seen *seen = arg;
	size_t len = strlen(seen->text);

	assert_int_equal(e->size, sizeof(*e));
	assert_true(e->since_us > INT64_C(1600000000000000));
	assert_int_equal(e->from.pid, getpid());
	assert_int_equal(e->to.pid, getpid());
	/* A wait in steps is no thread's. */
	assert_true((e->from.thread > 0) == e->blocks);
	assert_true(e->to.thread > 0 || e->kind == DBLOCK_EDGE_IN_LINE);
	assert_true(e->from.host[0] && e->to.host[0]);
	assert_int_equal(strlen(e->from.session), 32);
	assert_int_equal(strlen(e->to.session), e->lease ? 0 : 32);
	assert_true((e->token == 0) == (e->kind == DBLOCK_EDGE_IN_LINE));
	snprintf(seen->text + len, sizeof(seen->text) - len, "%s>%s %s %d/%d%s%s%s%s;", e->from.app,
		 e->lease ? "?" : e->to.app, e->name, e->wanted, e->held,
		 e->kind == DBLOCK_EDGE_IN_LINE ? " behind" : "", e->upgrade ? " upgrade" : "",
		 e->lease ? " lease" : "", e->blocks ? " blocks" : "");
	seen->tokens += e->token;
	return ++seen->n == seen->end_after ? 77 : 0;
}

/* In a moment: who ends a wait does not wait until it has left the queue. */
static void graph_is(const char *pattern, const char *expected)
{
	struct dblock_graph_options options = DBLOCK_GRAPH_OPTIONS_INIT;
	struct dblock_error err = {0};
	int64_t until = clock_ms() + PLENTY_MS;
	struct seen seen;

	options.pattern = pattern;
	do {
		seen = (struct seen){.n = 0};
		expect(OK, dblock_graph(clients[0], &options, note_edge, &seen, &err));
	} while (strcmp(seen.text, expected) != 0 && clock_ms() < until);
	assert_string_equal(seen.text, expected);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static struct dblock_acquire_options in_mode(enum dblock_mode mode)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;

	o.mode = mode;
	return o;
}

static struct dblock_lock *has(int client, const char *name, enum dblock_mode mode)
{
	struct dblock_acquire_options o = in_mode(mode);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try(clients[client], name, &o, &lock, &err));
	return lock;
}

static struct dblock_wait *wants(int client, const char *name, enum dblock_mode mode)
{
	struct dblock_acquire_options o = in_mode(mode);
	struct dblock_wait *wait = wait_begin_with(clients[client], name, &o);

	get_in_queue(wait);
	return wait;
}

static void nobody_waits(void **state)
{
	struct dblock_lock *lock = has(0, "x", DBLOCK_EXCLUSIVE);

	(void)state;
	graph_is(NULL, "");
	give(lock);
}

/* Naive: a reader is an edge for a reader; or the whole line is, for each. */
static void a_line_of_readers_and_writers(void **state)
{
	struct dblock_lock *r = has(0, "x", DBLOCK_SHARED), *u = has(1, "x", DBLOCK_UPDATE);
	struct dblock_wait *writer = wants(2, "x", DBLOCK_EXCLUSIVE);
	struct dblock_wait *reader = wants(3, "x", DBLOCK_SHARED);
	struct dblock_wait *updater = wants(4, "x", DBLOCK_UPDATE);

	(void)state;
	graph_is(NULL, "c>a x 0/1;c>b x 0/2;d>c x 1/0 behind;e>b x 2/2;e>d x 2/1 behind;");
	dblock_wait_end(writer);
	dblock_wait_end(reader);
	graph_is(NULL, "e>b x 2/2;");
	dblock_wait_end(updater);
	graph_is(NULL, "");
	give(r);
	give(u);
}

static void names_and_patterns(void **state)
{
	struct dblock_lock *x = has(0, "x1", DBLOCK_EXCLUSIVE), *y = has(1, "y1", DBLOCK_SHARED);
	struct dblock_wait *wx = wants(2, "x1", DBLOCK_EXCLUSIVE);
	struct dblock_wait *wy = wants(2, "y1", DBLOCK_EXCLUSIVE);

	(void)state;
	graph_is(NULL, "c>a x1 0/0;c>b y1 0/1;");
	graph_is("y*", "c>b y1 0/1;");
	graph_is("z*", "");
	dblock_wait_end(wx);
	dblock_wait_end(wy);
	give(x);
	give(y);
}

static void leases_say_so(void **state)
{
	struct dblock_acquire_options o = in_mode(DBLOCK_EXCLUSIVE);
	struct dblock_error err = {0};
	struct dblock_wait *wait;
	struct dblock_lock *lock;

	(void)state;
	o.lease_ms = PLENTY_MS;
	expect(OK, dblock_try(clients[0], "x", &o, &lock, &err));
	wait = wants(1, "x", DBLOCK_SHARED);
	graph_is(NULL, "b>? x 1/0 lease;");
	dblock_wait_end(wait);
	give(lock);
}

/* ---- on threads of their own ----------------------------------------------------------------- */

static _Atomic int stop;

static int is_stopped(void *arg)
{
	(void)arg;
	return stop;
}

static int upgrade(void *lock, struct dblock_error *err)
{
	struct dblock_upgrade_options o = DBLOCK_UPGRADE_OPTIONS_INIT;

	o.canceled = is_stopped;
	return dblock_upgrade(lock, &o, err);
}

static int acquire(void *client, struct dblock_error *err)
{
	struct dblock_acquire_options o = in_mode(DBLOCK_EXCLUSIVE);
	struct dblock_lock *lock;

	o.canceled = is_stopped;
	return dblock_acquire(client, "x", &o, &lock, err);
}

/* Until there are so many edges. */
static void wait_for_edges(int n)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	struct seen seen;

	do {
		seen = (struct seen){.n = 0};
		expect(OK, dblock_graph(clients[0], NULL, note_edge, &seen, &err));
	} while (seen.n != n && clock_ms() < until);
}

/* Naive: an upgrade waits for itself; or waits in the queue behind those who cannot pass it. */
static void an_upgrade_and_who_waits_behind(void **state)
{
	struct dblock_lock *a = has(0, "x", DBLOCK_SHARED), *b = has(1, "x", DBLOCK_UPDATE);
	struct dblock_wait *reader;
	struct call upgrading, writing;

	(void)state;
	stop = 0;
	call_start(&upgrading, upgrade, b);
	wait_for_edges(1);
	graph_is(NULL, "b>a x 0/1 upgrade blocks;");
	reader = wants(2, "x", DBLOCK_SHARED);
	graph_is(NULL, "b>a x 0/1 upgrade blocks;c>b x 1/0 behind;");
	call_start(&writing, acquire, clients[3]);
	wait_for_edges(5);
	graph_is(NULL, "b>a x 0/1 upgrade blocks;c>b x 1/0 behind;"
		       "d>a x 0/1 blocks;d>b x 0/2 blocks;d>c x 0/1 behind blocks;");
	stop = 1;
	assert_int_equal(call_end(&upgrading), DBLOCK_CANCELED);
	assert_int_equal(call_end(&writing), DBLOCK_CANCELED);
	dblock_wait_end(reader);
	give(a);
	give(b);
}

/* ---- calling it ------------------------------------------------------------------------------ */

static void what_the_callback_says_ends_it(void **state)
{
	struct dblock_lock *lock = has(0, "x", DBLOCK_EXCLUSIVE);
	struct dblock_wait *b = wants(1, "x", DBLOCK_EXCLUSIVE);
	struct dblock_wait *c = wants(2, "x", DBLOCK_EXCLUSIVE);
	struct seen seen = {.end_after = 2};
	struct dblock_error err = {0};

	(void)state;
	assert_int_equal(dblock_graph(clients[0], NULL, note_edge, &seen, &err), 77);
	assert_string_equal(seen.text, "b>a x 0/0;c>a x 0/0;");
	assert_int_equal(seen.tokens, 2 * dblock_token(lock));
	dblock_wait_end(b);
	dblock_wait_end(c);
	give(lock);
}

static void bad_input(void **state)
{
	struct dblock_graph_options options = {.size = 3};
	struct dblock_error err = {0};
	struct seen seen = {.n = 0};

	(void)state;
	expect(E_INVALID, dblock_graph(NULL, NULL, note_edge, &seen, &err));
	expect(E_INVALID, dblock_graph(clients[0], NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_graph(clients[0], &options, note_edge, &seen, &err));
	message_has("DBLOCK_GRAPH_OPTIONS_INIT");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nobody_waits),
		CASE(a_line_of_readers_and_writers),
		CASE(names_and_patterns),
		CASE(leases_say_so),
		CASE(an_upgrade_and_who_waits_behind),
		CASE(what_the_callback_says_ends_it),
		CASE(bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
