/* SPDX-License-Identifier: MIT */
/* A cycle of processes: the same as one of threads, found through the database alone. */
#include "db/lock/wait/party.h"

enum { KIDS = 3 };

/* A child's message about its wait. */
struct word {
	int rc;
	long tid;
	char message[sizeof(((struct dblock_error *)0)->message)];
};

struct kid {
	pid_t pid;
	int to, from;
	struct word word;
};

#define ALONE(n)                                                                                   \
	{                                                                                          \
		.name = (n)                                                                        \
	}
#define SHARED(n)                                                                                  \
	{                                                                                          \
		.name = (n), .mode = DBLOCK_SHARED                                                 \
	}

static const struct role roles[KIDS] = {
	{.holds = {SHARED("a")}, .wants = ALONE("b")},
	{.holds = {ALONE("b")}, .wants = ALONE("c")},
	{.holds = {ALONE("c")}, .wants = ALONE("a")},
};

static bool hears(int from)
{
	char word;

	return read(from, &word, 1) == 1;
}

/* Takes the lock, says so, waits for permission, wants the other lock, and reports the outcome. */
static void live_as_child(const struct role *role, int from, int to)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct party p = {.role = role};
	struct word word = {.tid = syscall(SYS_gettid)};

	child_has_threads();
	options.app = "kid";
	options.timeout_ms = PLENTY_MS;
	if (dblock_open(test_url(), &options, &p.client, &p.err) || party_takes(&p)) {
		fprintf(stderr, "child: %s\n", p.err.message);
		_exit(1);
	}
	if (write(to, &word, sizeof(word)) != sizeof(word) || !hears(from))
		_exit(1);
	party_live(&p);
	word.rc = p.rc;
	memcpy(word.message, p.err.message, sizeof(word.message));
	dblock_close(p.client, NULL);
	_exit(write(to, &word, sizeof(word)) == sizeof(word) ? 0 : 1);
}

static void kid_start(struct kid *kid, const struct role *role)
{
	int down[2], up[2];

	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	fflush(NULL);
	kid->pid = fork();
	assert_true(kid->pid >= 0);
	if (kid->pid == 0)
		live_as_child(role, down[0], up[1]);
	close(down[0]);
	close(up[1]);
	kid->to = down[1];
	kid->from = up[0];
}

static void kid_says(struct kid *kid)
{
	if (read(kid->from, &kid->word, sizeof(kid->word)) != sizeof(kid->word))
		fail_msg("the child ended early");
}

static void kid_ends(struct kid *kid)
{
	int status;

	kid_says(kid);
	close(kid->to);
	close(kid->from);
	assert_int_equal(waitpid(kid->pid, &status, 0), kid->pid);
	assert_int_equal(status, 0);
}

static void check_message(const char *message, const struct kid *kids, int n)
{
	struct dblock_error err = {0};
	char who[64];

	snprintf(err.message, sizeof(err.message), "%s", message);
	for (int i = 0; i < n; i++) {
		snprintf(who, sizeof(who), "pid %ld, thread %ld (kid)", (long)kids[i].pid,
			 kids[i].word.tid);
		message_has(who);
		snprintf(who, sizeof(who), "waits for '%s' (exclusive), held", roles[i].wants.name);
		message_has(who);
	}
}

/* Naive: only one's own process is looked at. */
static void a_ring_of_processes(void **state)
{
	struct kid kids[KIDS];
	struct raw *raw;

	(void)state;
	dblock_close(client_new(0), NULL); /* makes the tables */
	for (int i = 0; i < KIDS; i++) {
		kid_start(&kids[i], &roles[i]);
		kid_says(&kids[i]);
	}
	raw = raw_open(NULL);
	for (int i = 0; i < KIDS; i++) {
		assert_int_equal(write(kids[i].to, "w", 1), 1);
		until_true(all_in_queue(raw) == i + 1);
	}
	for (int i = 0; i < KIDS; i++)
		kid_ends(&kids[i]);
	raw_close(raw);
	assert_int_equal(kids[0].word.rc, DBLOCK_OK);
	assert_int_equal(kids[1].word.rc, DBLOCK_OK);
	assert_int_equal(kids[2].word.rc, DBLOCK_DEADLOCK);
	check_message(kids[2].word.message, kids, KIDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_of_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
