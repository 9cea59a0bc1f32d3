/* SPDX-License-Identifier: MIT */
/* A process is stopped (SIGSTOP, a debugger, a laptop that sleeps) while it holds a lock, and
 * somebody else gets it. When the process goes on, its first question is answered that the lock is
 * lost; neither its heartbeat nor its release, however late, touches the new holder. */
#include <poll.h>

#include "support/kit.h"

#define TTL_MS SLOWLY_MS(1000)

/* The child's report when it goes on. */
struct report {
	int64_t token, remaining_ms;
	bool was_valid, is_told, goes_on;
	int released;
};

struct child_ends {
	pid_t pid;
	int to_child, from_child;
};

static bool is_readable(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

static struct dblock_client *open_in_child(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client = NULL;
	struct dblock_error err;

	options.ttl_ms = TTL_MS;
	options.timeout_ms = PLENTY_MS;
	if (dblock_open(test_url(), &options, &client, &err))
		fprintf(stderr, "child: %s\n", err.message);
	return client;
}

/* Takes the lock, says so, waits for permission, and reports on the lock. A lock that is lost
 * before the stop, on a busy machine, is as good. */
static void live_as_child(int from_parent, int to_parent)
{
	struct dblock_client *client = open_in_child();
	struct dblock_lock *lock = NULL, *next;
	struct report report = {.token = 0};
	char word;
	int fd;

	if (!client || dblock_try(client, "x", NULL, &lock, NULL) ||
	    dblock_lost_fd(lock, &fd, NULL))
		_exit(1);
	report.token = dblock_token(lock);
	if (write(to_parent, &report, sizeof(report)) != sizeof(report) ||
	    read(from_parent, &word, 1) != 1)
		_exit(1);
	report.was_valid = dblock_valid(lock, 0);
	report.remaining_ms = dblock_remaining_ms(lock);
	report.is_told = is_readable(fd, PLENTY_MS);
	report.released = dblock_release(lock, NULL);
	report.goes_on = dblock_acquire(client, "y", NULL, &next, NULL) == 0;
	dblock_close(client, NULL);
	_exit(write(to_parent, &report, sizeof(report)) == sizeof(report) ? 0 : 1);
}

static struct child_ends start_child(void)
{
	int down[2], up[2];
	struct child_ends child;

	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	fflush(NULL);
	child.pid = fork();
	assert_true(child.pid >= 0);
	if (child.pid == 0)
		live_as_child(down[0], up[1]);
	close(down[0]);
	close(up[1]);
	child.to_child = down[1];
	child.from_child = up[0];
	return child;
}

static struct report hear(const struct child_ends *child)
{
	struct report report = {.token = 0};

	if (!is_readable(child->from_child, PLENTY_MS) ||
	    read(child->from_child, &report, sizeof(report)) != sizeof(report)) {
		kill(child->pid, SIGKILL);
		fail_msg("the child said nothing");
	}
	return report;
}

static void end_child(struct child_ends *child)
{
	int status;

	close(child->to_child);
	close(child->from_child);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void is_stopped_after(int64_t ms)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;
	struct child_ends child;
	struct report report;
	int rc;

	dblock_close(client_new(0), NULL);
	child = start_child();
	report = hear(&child);
	sleep_ms(ms);
	assert_int_equal(kill(child.pid, SIGSTOP), 0);
	client = client_new(0);
	how.wait_ms = PLENTY_MS;
	rc = dblock_acquire(client, "x", &how, &lock, &err);
	/* The permission is there before the child goes on, so it asks at once. */
	assert_int_equal(write(child.to_child, "!", 1), 1);
	assert_int_equal(kill(child.pid, SIGCONT), 0);
	expect(OK, rc);
	assert_true(dblock_token(lock) > report.token);
	report = hear(&child);
	assert_false(report.was_valid);
	assert_int_equal(report.remaining_ms, 0);
	assert_true(report.is_told);
	assert_int_equal(report.released, DBLOCK_LOST);
	assert_true(report.goes_on);
	end_child(&child);
	assert_int_equal(show(client, "x").h.token, dblock_token(lock));
	assert_true(dblock_valid(lock, 0));
	give(lock);
	is_free(client, "y");
	dblock_close(client, NULL);
}

static void the_stopped_find_their_lock_lost(void **state)
{
	(void)state;
	is_stopped_after(0);
}

/* The stop may come in the middle of a heartbeat. */
static void the_stopped_have_a_heartbeat_to_send(void **state)
{
	(void)state;
	is_stopped_after(TTL_MS / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stopped_find_their_lock_lost),
		cmocka_unit_test(the_stopped_have_a_heartbeat_to_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
