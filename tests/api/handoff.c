/* SPDX-License-Identifier: MIT */
/* A parent acquires a lock, and the daemon that it has started keeps it when the parent is gone. */
#include "support/kit.h"

static int to_child[2], from_child[2];

/* The daemon: it accepts what it is sent a ticket of, and keeps it until it is told to stop. */
static int daemon_body(void)
{
	struct dblock_client *client = client_new(0);
	char ticket[DBLOCK_TICKET_SIZE];
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	if (read(to_child[0], ticket, sizeof(ticket)) != sizeof(ticket) ||
	    dblock_handoff_accept(client, ticket, NULL, &lock, &err)) {
		fprintf(stderr, "daemon: %s\n", err.message);
		return 1;
	}
	token = dblock_token(lock);
	(void)!write(from_child[1], &token, sizeof(token));
	(void)!read(to_child[0], ticket, 1);
	return dblock_release(lock, &err) || (dblock_close)(client, NULL);
}

/* It must be started before this process has a client. */
static pid_t start_daemon(void)
{
	pid_t pid;

	assert_int_equal(pipe(to_child) | pipe(from_child), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(daemon_body());
	}
	assert_true(pid > 0);
	return pid;
}

static void the_daemon_keeps_it(void **unused)
{
	pid_t pid = start_daemon();
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "daemon");
	char ticket[DBLOCK_TICKET_SIZE] = {0};
	struct dblock_error err = {0};
	int64_t token;
	int status;

	(void)unused;
	expect(OK, dblock_handoff_offer(lock, ticket, &err));
	assert_int_equal(write(to_child[1], ticket, sizeof(ticket)), sizeof(ticket));
	expect(OK, dblock_handoff_wait(lock, PLENTY_MS, &err));
	assert_int_equal(read(from_child[0], &token, sizeof(token)), sizeof(token));
	assert_true(token > dblock_token(lock));
	give(lock);
	dblock_close(client, NULL);
	client = client_new(0);
	busy(client, "daemon");
	assert_int_equal(show(client, "daemon").h.pid, pid);
	assert_int_equal(show(client, "daemon").h.token, token);
	assert_int_equal(write(to_child[1], ticket, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	is_free(client, "daemon");
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_daemon_keeps_it)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
