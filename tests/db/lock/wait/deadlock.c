/* SPDX-License-Identifier: MIT */
/* Cycles of threads that wait for each other: the youngest gives up, the others go on. */
#include "db/lock/wait/party.h"
#include "support/steps.h"

enum { PARTIES = 4 };

struct cycle {
	const char *what;
	struct role role[PARTIES]; /* the last of them is the youngest */
	const char *words[8];      /* parts of the message, besides who they are */
};

#define SHARED(n)                                                                                  \
	{                                                                                          \
		.name = (n), .mode = DBLOCK_SHARED                                                 \
	}
#define UPDATE(n)                                                                                  \
	{                                                                                          \
		.name = (n), .mode = DBLOCK_UPDATE                                                 \
	}
#define PERMITS(n, p, c)                                                                           \
	{                                                                                          \
		.name = (n), .mode = DBLOCK_PERMITS, .permits = (p), .capacity = (c)               \
	}
#define UPGRADE(n)                                                                                 \
	{                                                                                          \
		.name = (n), .upgrade = true                                                       \
	}
#define ALONE(n)                                                                                   \
	{                                                                                          \
		.name = (n)                                                                        \
	}
#define BOTH(n, m)                                                                                 \
	{                                                                                          \
		.name = (n), .and = (m)                                                            \
	}

#define ANY(n, m)                                                                                  \
	{                                                                                          \
		.name = (n), .and = (m), .any = true                                               \
	}

#define PATH(n)                                                                                    \
	{                                                                                          \
		.name = (n), .tree = true                                                          \
	}

static const struct cycle cycles[] = {
	{"two locks",
	 {{.holds = {ALONE("a")}, .wants = ALONE("b")},
	  {.holds = {ALONE("b")}, .wants = ALONE("a")}},
	 {"'a' (exclusive)", "'b' (exclusive)", "held (exclusive, token "}},
	{"three locks",
	 {{.holds = {ALONE("a")}, .wants = ALONE("b")},
	  {.holds = {ALONE("b")}, .wants = ALONE("c")},
	  {.holds = {ALONE("c")}, .wants = ALONE("a")}},
	 {"'a' (exclusive)", "'b' (exclusive)", "'c' (exclusive)"}},
	{"a reader",
	 {{.holds = {SHARED("a")}, .wants = ALONE("b")},
	  {.holds = {ALONE("b")}, .wants = ALONE("a")}},
	 {"'a' (exclusive), held (shared, token", "'b' (exclusive), held (exclusive, token"}},
	/* Only the waiting writer keeps the last party from reading. */
	{"a reader behind a writer",
	 {{.holds = {SHARED("a")}, .wants = ALONE("b")},
	  {.wants = ALONE("a")},
	  {.holds = {ALONE("b")}, .wants = SHARED("a")}},
	 {"'a' (shared), in line behind (exclusive)", "'a' (exclusive), held (shared, token"}},
	{"permits",
	 {{.holds = {PERMITS("s", 2, 3)}, .wants = ALONE("b")},
	  {.holds = {ALONE("b")}, .wants = PERMITS("s", 2, 3)}},
	 {"'s' (2 of 3 permits), held (2 of 3 permits, token"}},
	{"more permits",
	 {{.holds = {PERMITS("s", 1, 2)}, .wants = PERMITS("s", 1, 2)},
	  {.holds = {PERMITS("s", 1, 2)}, .wants = PERMITS("s", 1, 2)}},
	 {"'s' (1 of 2 permits), held (1 of 2 permits, token"}},
	{"an upgrade",
	 {{.holds = {SHARED("a")}, .wants = ALONE("b")},
	  {.holds = {UPDATE("a"), ALONE("b")}, .wants = UPGRADE("a")}},
	 {"'a' (an upgrade to exclusive), held (shared, token"}},
	{"a reader behind an upgrade",
	 {{.holds = {SHARED("a")}, .wants = ALONE("b")},
	  {.holds = {UPDATE("a")}, .wants = UPGRADE("a")},
	  {.holds = {ALONE("b")}, .wants = SHARED("a")}},
	 {"'a' (shared), in line behind (exclusive)",
	  "'a' (an upgrade to exclusive), held (shared"}},
	{"several at once, held",
	 {{.holds = {BOTH("a", "b")}, .wants = ALONE("c")},
	  {.holds = {ALONE("c")}, .wants = ALONE("b")}},
	 {"'b' (exclusive), held (exclusive, token", "'c' (exclusive), held (exclusive, token"}},
	{"one of several at once",
	 {{.holds = {ALONE("a")}, .wants = BOTH("b", "c")},
	  {.holds = {ALONE("c")}, .wants = ALONE("a")}},
	 {"'a' (exclusive), held (exclusive, token", "'c' (exclusive), held (exclusive, token"}},
	{"several at once, the last to come",
	 {{.holds = {ALONE("c")}, .wants = ALONE("a")},
	  {.holds = {BOTH("a", "d")}, .wants = BOTH("b", "c")}},
	 {"'a' (exclusive), held (exclusive, token", "'c' (exclusive), held (exclusive, token"}},
	{"any of two, each held by who waits for it",
	 {{.holds = {ALONE("a"), ALONE("b")}, .wants = ALONE("c")},
	  {.holds = {ALONE("c")}, .wants = ANY("a", "b")}},
	 {"'a' (exclusive), held (exclusive, token", "'c' (exclusive), held (exclusive, token"}},
	{"any of two, not the last to come",
	 {{.holds = {ALONE("c")}, .wants = ANY("a", "b")},
	  {.holds = {ALONE("a"), ALONE("b")}, .wants = ALONE("c")}},
	 {"(exclusive), held (exclusive, token", "'c' (exclusive), held (exclusive, token"}},
	{"a second path below a node that somebody wants all of",
	 {{.wants = PATH("t/**")}, {.holds = {PATH("t/1")}, .wants = PATH("t/2")}},
	 {"'t/**' (shared), in line behind (exclusive)",
	  "'t/**' (exclusive), held (shared, token"}},
	{"two trees",
	 {{.holds = {PATH("t/1")}, .wants = PATH("u/**")},
	  {.holds = {PATH("u/1")}, .wants = PATH("t/**")}},
	 {"'u/**' (exclusive), held (shared, token", "'t/**' (exclusive), held (shared, token"}},
	/* A free name is kept for the first in its queue, who waits for another name as well. */
	{"behind several at once",
	 {{.holds = {ALONE("b")}, .wants = ALONE("c")},
	  {.wants = BOTH("a", "b")},
	  {.holds = {ALONE("c")}, .wants = ALONE("a")}},
	 {"'a' (exclusive), in line behind (exclusive)", "'b' (exclusive), held (exclusive",
	  "'c' (exclusive), held (exclusive"}},
};

static int count_of(const struct cycle *cycle)
{
	int n = 0;

	while (n < PARTIES && cycle->role[n].wants.name)
		n++;
	return n;
}

static void message_names(struct dblock_error err, long tid)
{
	char host[256], who[400];

	gethostname(host, sizeof(host));
	host[sizeof(host) - 1] = '\0';
	snprintf(who, sizeof(who), "host %s, pid %ld, thread %ld", host, (long)getpid(), tid);
	message_has(who);
}

static void check_message(const struct cycle *cycle, struct party *parties, int n)
{
	struct dblock_error err = parties[n - 1].err;

	for (int i = 0; i < n; i++)
		message_names(err, parties[i].tid);
	for (int i = 0; i < 8 && cycle->words[i]; i++)
		message_has(cycle->words[i]);
}

/* Naive: nobody gives up; or each that finds the cycle does; or the one that looks first. */
static void play(const struct cycle *cycle, struct dblock_client **clients, struct raw *raw)
{
	struct party parties[PARTIES];
	int n = count_of(cycle);

	print_message("%s\n", cycle->what);
	for (int i = 0; i < n; i++)
		party_start(&parties[i], &cycle->role[i], clients[i]);
	for (int i = 0; i < n; i++)
		party_go(&parties[i], raw);
	party_ends(&parties[n - 1], DEADLOCK);
	for (int i = 0; i < n - 1; i++)
		party_ends(&parties[i], OK);
	check_message(cycle, parties, n);
}

static void rings_within_one_client(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_client *clients[PARTIES] = {client, client, client, client};
	struct raw *raw = raw_open(NULL);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		play(&cycles[i], clients, raw);
	raw_close(raw);
	dblock_close(client, NULL);
}

static void rings_of_several_clients(void **state)
{
	struct dblock_client *clients[PARTIES];
	struct raw *raw = raw_open(NULL);

	(void)state;
	for (int i = 0; i < PARTIES; i++)
		clients[i] = client_new(0);
	for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++)
		play(&cycles[i], clients, raw);
	for (int i = 0; i < PARTIES; i++)
		dblock_close(clients[i], NULL);
	raw_close(raw);
}

/* Naive: the first that finds it gives up. The older one looks all the time meanwhile. */
static void the_youngest_gives_up_whoever_looks_first(void **state)
{
	static const struct role older = {
		.holds = {ALONE("a")}, .wants = ALONE("b"), .deadlock_ms = 20};
	static const struct role younger = {
		.holds = {ALONE("b")}, .wants = ALONE("a"), .deadlock_ms = 700};
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 0);
	struct raw *raw = raw_open(NULL);
	struct party o, y;

	(void)state;
	party_start(&o, &older, client);
	party_start(&y, &younger, client);
	party_go(&o, raw);
	party_go(&y, raw);
	party_ends(&y, DEADLOCK);
	party_ends(&o, OK);
	assert_true(spy->runs_of[DBL_OP_cycle] >= 4);
	raw_close(raw);
	dblock_close(client, NULL);
	spy_free(spy);
}

/* A reader, who holds what the first waits for, has been behind a writer that has left; by then another wait, which
 * came later, is before him. */
static void behind_what_came_later(const struct role *later)
{
	static const struct role first = {.holds = {SHARED("a")}, .wants = ALONE("b")},
				 reader = {.holds = {ALONE("b")}, .wants = SHARED("a")};
	const struct role *roles[] = {&first, &reader, later};
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_wait *writer;
	struct party parties[3];

	for (int i = 0; i < 3; i++)
		party_start(&parties[i], roles[i], client);
	writer = wait_in_queue(client, "a");
	for (int i = 0; i < 3; i++)
		party_go(&parties[i], raw);
	dblock_wait_end(writer);
	party_ends(&parties[2], DEADLOCK);
	party_ends(&parties[1], OK);
	party_ends(&parties[0], OK);
	raw_close(raw);
	dblock_close(client, NULL);
}

/* Naive: only a place with an earlier ticket stands before. */
static void behind_an_upgrade_that_came_later(void **state)
{
	static const struct role upgrade = {.holds = {UPDATE("a")}, .wants = UPGRADE("a")};

	(void)state;
	behind_what_came_later(&upgrade);
}

/* Naive: likewise. */
static void behind_a_priority_that_came_later(void **state)
{
	static const struct role writer = {.wants = {.name = "a", .priority = 1}};

	(void)state;
	behind_what_came_later(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_within_one_client),
		cmocka_unit_test(rings_of_several_clients),
		cmocka_unit_test(the_youngest_gives_up_whoever_looks_first),
		cmocka_unit_test(behind_an_upgrade_that_came_later),
		cmocka_unit_test(behind_a_priority_that_came_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
