/* SPDX-License-Identifier: MIT */
/*
 * A holder is stopped (SIGSTOP, a debugger, a laptop that sleeps) for longer than its session
 * lives, and then writes what the lock guards. Each write leaves the token under which it was made.
 *   - Stopped between acquire and fence: meanwhile somebody else gets the lock and writes; the
 *     fence returns STALE, and nothing old comes after anything new.
 *   - Stopped between fence and commit: others wait for the commit before they get the lock,
 *     however long the session has been over; both writes are there, in their order. (On SQLite
 *     the transaction has the whole file; elsewhere only that row.)
 *   - Stopped before a write without a fence: the lock cannot help, and the old write comes after
 *     the new one. No lock table can promise more.
 */
#include <poll.h>

#include "db/lock/tx/stopped_resource.h"

#define TTL_MS SLOWLY_MS(600)

struct child_ends {
	pid_t pid;
	int to_child, from_child;
};

/* The child's report. */
struct report {
	int64_t token;
	bool was_valid;
	int fenced, written, unfenced;
};

/* ---- the one who is stopped ----------------------------------------------------------------- */

/* cmocka's assertions do not work in a child. */
static void must(int rc, const char *what, const struct dblock_error *err)
{
	if (rc == 0)
		return;
	fprintf(stderr, "child: %s: %s\n", what, err->message);
	_exit(1);
}

static struct dblock_client *open_in_child(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.ttl_ms = TTL_MS;
	options.timeout_ms = PLENTY_MS;
	must(dblock_open(test_url(), &options, &client, &err), "open", &err);
	return client;
}

static void say(int to_parent, const struct report *report)
{
	if (write(to_parent, report, sizeof(*report)) != sizeof(*report))
		_exit(1);
}

static void wait_for_word(int from_parent)
{
	char word;

	if (read(from_parent, &word, 1) != 1)
		_exit(1);
}

static void stopped_before_the_fence(int from_parent, int to_parent)
{
	struct dblock_client *client = open_in_child();
	struct report report = {.token = 0};
	struct dblock_lock *fenced, *bare;
	struct dblock_error err;
	struct dblock_tx *tx;

	must(dblock_try(client, "fenced", NULL, &fenced, &err), "try", &err);
	must(dblock_try(client, "bare", NULL, &bare, &err), "try", &err);
	must(dblock_tx_open(client, &tx, &err), "tx", &err);
	report.token = dblock_token(fenced);
	wait_for_word(from_parent);
	/* The child checks once more whether it has the locks, and is stopped right after that. */
	report.was_valid = dblock_valid(fenced, 0) && dblock_valid(bare, 0);
	say(to_parent, &report);
	wait_for_word(from_parent);
	must(dblock_tx_begin(tx, NULL, &err), "begin", &err);
	report.fenced = dblock_fence(tx, fenced, &err);
	report.written =
		report.fenced ? report.fenced : write_resource(tx, "fenced", report.token, &err);
	must(report.written ? dblock_tx_rollback(tx, &err) : dblock_tx_commit(tx, &err), "end",
	     &err);
	must(dblock_tx_begin(tx, NULL, &err), "begin", &err);
	report.unfenced = write_resource(tx, "bare", dblock_token(bare), &err);
	must(dblock_tx_commit(tx, &err), "commit", &err);
	dblock_tx_close(tx);
	say(to_parent, &report);
	dblock_close(client, NULL);
	_exit(0);
}

static void stopped_before_the_commit(int from_parent, int to_parent)
{
	struct dblock_client *client = open_in_child();
	struct report report = {.token = 0};
	struct dblock_lock *lock;
	struct dblock_error err;
	struct dblock_tx *tx;

	must(dblock_try(client, "fenced", NULL, &lock, &err), "try", &err);
	must(dblock_tx_open(client, &tx, &err), "tx", &err);
	report.token = dblock_token(lock);
	wait_for_word(from_parent);
	must(dblock_tx_begin(tx, NULL, &err), "begin", &err);
	report.fenced = dblock_fence(tx, lock, &err);
	say(to_parent, &report);
	wait_for_word(from_parent);
	report.was_valid = dblock_valid(lock, 0);
	report.written = write_resource(tx, "fenced", report.token, &err);
	must(dblock_tx_commit(tx, &err), "commit", &err);
	dblock_tx_close(tx);
	say(to_parent, &report);
	dblock_close(client, NULL);
	_exit(0);
}

/* ---- the one who stops it ------------------------------------------------------------------- */

static struct child_ends start_child(void (*life)(int from_parent, int to_parent))
{
	int down[2], up[2];
	struct child_ends child;

	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	fflush(NULL);
	child.pid = fork();
	assert_true(child.pid >= 0);
	if (child.pid == 0)
		life(down[0], up[1]);
	close(down[0]);
	close(up[1]);
	child.to_child = down[1];
	child.from_child = up[0];
	return child;
}

static void tell(const struct child_ends *child)
{
	assert_int_equal(write(child->to_child, "!", 1), 1);
}

static struct report hear(const struct child_ends *child)
{
	struct pollfd p = {.fd = child->from_child, .events = POLLIN};
	struct report report = {.token = 0};

	if (poll(&p, 1, PLENTY_MS) != 1 ||
	    read(child->from_child, &report, sizeof(report)) != sizeof(report)) {
		kill(child->pid, SIGKILL);
		fail_msg("the child said nothing");
	}
	return report;
}

/* Stops the child, and waits until the whole process has stopped. */
static void stop(const struct child_ends *child)
{
	int status;

	assert_int_equal(kill(child->pid, SIGSTOP), 0);
	assert_int_equal(waitpid(child->pid, &status, WUNTRACED), child->pid);
	assert_true(WIFSTOPPED(status));
}

static void end_child(struct child_ends *child)
{
	int status;

	close(child->to_child);
	close(child->from_child);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void the_fence_stops_what_the_lock_cannot(void **state)
{
	struct dblock_client *client;
	struct child_ends child;
	struct report report;

	(void)state;
	child = start_child(stopped_before_the_fence);
	client = client_new(0);
	tell(&child);
	report = hear(&child);
	stop(&child);
	take_and_write(client, "fenced");
	take_and_write(client, "bare");
	assert_int_equal(kill(child.pid, SIGCONT), 0);
	tell(&child);
	report = hear(&child);
	end_child(&child);
	/* The write was made with the fence. */
	assert_int_equal(report.fenced, DBLOCK_STALE);
	assert_int_equal(writes(client, "fenced"), 1);
	take_and_write(client, "fenced");
	assert_int_equal(writes(client, "fenced"), 2);
	assert_int_equal(stale_writes(client, "fenced"), 0);
	/* The write was made without a fence: the lock was checked before, and all went well. */
	assert_int_equal(report.unfenced, DBLOCK_OK);
	assert_int_equal(writes(client, "bare"), 2);
	assert_int_equal(stale_writes(client, "bare"), 1);
	dblock_close(client, NULL);
}

/* Nobody else gets the lock, though the session has long been over. */
static void nobody_gets_it(struct dblock_client *client, const char *name)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	how.wait_ms = 4 * TTL_MS;
	rc = dblock_acquire(client, name, &how, &lock, &err);
	if (rc != DBLOCK_TIMEOUT && rc != DBLOCK_E_BLOCKED && rc != DBLOCK_E_NO_ANSWER)
		fail_msg("%s: %s", dblock_outcome_name(rc), rc ? err.message : "");
}

/* Except on SQLite, the transaction hinders nobody else. */
static void others_are_free(struct dblock_client *client)
{
	if (!on_backend("sqlite"))
		is_free(client, "another");
}

static void who_takes_over_waits_for_the_commit(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct child_ends child;
	struct report report;
	int64_t before;

	(void)state;
	child = start_child(stopped_before_the_commit);
	options.timeout_ms = on_backend("sqlite") ? TTL_MS : PLENTY_MS;
	client = client_with(&options);
	before = writes(client, "fenced");
	tell(&child);
	report = hear(&child);
	assert_int_equal(report.fenced, DBLOCK_OK);
	stop(&child);
	nobody_gets_it(client, "fenced");
	others_are_free(client);
	assert_int_equal(kill(child.pid, SIGCONT), 0);
	tell(&child);
	report = hear(&child);
	end_child(&child);
	assert_false(report.was_valid);
	assert_int_equal(report.written, DBLOCK_OK);
	take_and_write(client, "fenced");
	assert_int_equal(writes(client, "fenced"), before + 2);
	assert_int_equal(stale_writes(client, "fenced"), 0);
	dblock_close(client, NULL);
}

/* The tests open their clients themselves: none may exist before the fork. */
static int set_up(void **state)
{
	struct dblock_client *client = client_new(0);

	(void)state;
	make_resource(client);
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fence_stops_what_the_lock_cannot),
		cmocka_unit_test(who_takes_over_waits_for_the_commit),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
