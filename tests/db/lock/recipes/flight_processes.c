/* SPDX-License-Identifier: MIT */
/* Processes with threads, all of them after one key: first one call for all that are there at once;
 * then anybody at any time; then the process that makes the result is killed. */
#include <sys/mman.h>

#include "db/lock/recipes/flight.h"

enum { PROCESSES = 8, THREADS = 4, ROUNDS = 12 };

#define TTL_MS       SLOWLY_MS(30000)
#define SHORT_TTL_MS SLOWLY_MS(800)

/* The memory that all processes share. */
struct board {
	_Atomic int stage;            /* what the processes may do by now */
	_Atomic bool full[PROCESSES]; /* all threads of the process have joined the call */
	_Atomic int ready, calls, at_once, most_at_once, made, asked, problems;
	_Atomic int newest; /* the newest result that anybody has had */
	_Atomic int64_t token;
};

static struct board *board;

static struct dblock_client *open_as_child(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	struct dblock_client *client;

	child_has_threads();
	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	/* A session may take longer to be written than it lives: then the open is tried again. */
	while (dblock_open(test_url(), &options, &client, &err)) {
		if (clock_ms() > until) {
			fprintf(stderr, "child: %s\n", err.message);
			_exit(1);
		}
	}
	return client;
}

static bool wait_for_stage(int stage)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (board->stage < stage && clock_ms() < until)
		sleep_ms(1);
	return board->stage >= stage;
}

static int make(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	int now = ++board->at_once, n = ++board->calls;
	char text[16];

	(void)arg;
	if (now > board->most_at_once)
		board->most_at_once = now;
	(void)wait_for_stage(2);
	snprintf(text, sizeof(text), "%d", n);
	board->at_once--;
	return dblock_result_set(result, text, strlen(text), err);
}

/* The result is no older than any that somebody had before this call. */
static void ask(struct dblock_client *client, const char *key)
{
	struct dblock_error err = {0};
	struct dblock_result *result;
	int before = board->newest, rc, got, seen;

	board->asked++;
	rc = dblock_single_flight(client, key, NULL, make, NULL, &result, &err);
	if (rc) {
		note_problem(&board->problems, "ask", &err);
		return;
	}
	got = atoi(dblock_result_bytes(result));
	if (got < before) {
		fprintf(stderr, "got %d, but %d was there before\n", got, before);
		board->problems++;
	}
	seen = board->newest;
	while (got > seen && !atomic_compare_exchange_weak(&board->newest, &seen, got))
		;
	dblock_result_free(result);
}

static void *thread_asks(void *client)
{
	(void)wait_for_stage(1);
	ask(client, "k");
	(void)wait_for_stage(3);
	for (int i = 0; i < ROUNDS; i++)
		ask(client, "k");
	return NULL;
}

static void live(int me)
{
	struct dblock_client *client = open_as_child(TTL_MS);
	struct crew crew = {.n = 0};

	for (int i = 0; i < THREADS; i++)
		crew_add(&crew, thread_asks, client);
	board->ready++;
	while (board->stage < 2) {
		board->full[me] = callers(client) == THREADS;
		sleep_ms(1);
	}
	crew_join(&crew);
	dblock_close(client, NULL);
}

static bool all_are_there(struct raw *raw)
{
	int full = 0;

	for (int i = 0; i < PROCESSES; i++)
		full += board->full[i];
	return full == PROCESSES && board->calls == 1 && clients_waiting(raw) == PROCESSES - 1;
}

static void a_fleet_shares(void **state)
{
	pid_t pids[PROCESSES];
	struct raw *raw;

	(void)state;
	fflush(NULL);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			live(i);
			_exit(0);
		}
	}
	raw = raw_open(NULL);
	until_true(board->ready == PROCESSES);
	board->stage = 1;
	until_true(all_are_there(raw));
	board->stage = 2;
	until_true(board->newest == 1 && board->asked == PROCESSES * THREADS);
	/* One call has made the result for all of them. */
	assert_int_equal(board->calls, 1);
	board->stage = 3;
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
	raw_close(raw);
	assert_int_equal(board->problems, 0);
	assert_int_equal(board->most_at_once, 1);
	assert_int_equal(board->asked, PROCESSES * THREADS * (1 + ROUNDS));
	print_message("%d asked, %d calls\n", (int)board->asked, (int)board->calls);
}

/* ---- killed ---------------------------------------------------------------------------------- */

static void *dies_at_it(void *client)
{
	ask(client, "k");
	return NULL;
}

static int64_t child_makes(void *arg)
{
	struct crew crew = {.n = 0};

	(void)arg;
	crew_add(&crew, dies_at_it, open_as_child(SHORT_TTL_MS));
	while (board->calls == 0)
		sleep_ms(1);
	return 0;
}

static void who_is_killed_is_replaced(void **state)
{
	struct child child = child_start(child_makes, NULL);
	struct kitchen kitchen = {.calls = 10};
	struct guest guests[2] = {{.cancel = false}};
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL);

	(void)state;
	comes(&guests[0], client, &kitchen);
	comes(&guests[1], client, &kitchen);
	/* (A client on a machine that is too busy for its heartbeat is replaced earlier.) */
	until_true((clients_waiting(raw) == 1 && callers(client) == 2) || kitchen.calls > 10);
	child_kill(&child);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(call_end(&guests[i].call), 0);
		assert_in_range(guests[i].got, 11, kitchen.calls);
	}
	raw_close(raw);
	dblock_close(client, NULL);
}

static int set_up(void **state)
{
	(void)state;
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_true(board != MAP_FAILED);
	dblock_close(client_new(0), NULL); /* makes the tables */
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(board, sizeof(*board));
}

#define SCENE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(a_fleet_shares),
		SCENE(who_is_killed_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
