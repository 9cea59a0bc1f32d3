/* SPDX-License-Identifier: MIT */
/* After a fork the client is the parent's alone: the child is told so, and does no harm. */
#include "support/kit.h"

static struct dblock_client *client;
static struct dblock_lock *lock, *lease;

/* In the child: no cmocka, just a number for the first thing that is wrong. */
#define must_be_forked(call)                                                                       \
	do {                                                                                       \
		memset(&err, 0, sizeof(err));                                                      \
		if ((call) != DBLOCK_E_FORKED || err.code != DBLOCK_E_FORKED || !err.message[0])   \
			_exit(__LINE__ % 256);                                                     \
	} while (0)

static void child_calls_everything(void)
{
	struct dblock_error err;
	struct dblock_lock *none;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct shown shown;

	must_be_forked(dblock_try(client, "x", NULL, &none, &err));
	must_be_forked(dblock_try(client, "y", NULL, &none, &err));
	must_be_forked(dblock_acquire(client, "y", NULL, &none, &err));
	must_be_forked(dblock_release(lock, &err));
	must_be_forked(dblock_extend(lease, 1000, &err));
	must_be_forked(dblock_release_token(client, "x", dblock_token(lock), &err));
	must_be_forked(dblock_extend_token(client, "x", dblock_token(lock), 1000, &err));
	must_be_forked(dblock_list(client, NULL, keep_shown, &shown, &err));
	must_be_forked(dblock_show(client, "x", keep_shown, &shown, &err));
	must_be_forked(break_by_force(client, "x", 0, 0, &err));
	must_be_forked(dblock_reap(client, NULL, &reaped, &err));
	_exit((dblock_close)(client, NULL) == DBLOCK_E_FORKED ? 0 : 255);
}

static int run_child(void (*body)(void))
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		body();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The parent's connections, session and locks are as before. */
static void parent_goes_on(void)
{
	struct dblock_client *other = client_new(0);
	struct dblock_error err = {0};

	busy(other, "x");
	busy(other, "lease");
	is_free(client, "y");
	assert_true(dblock_valid(lock, 0));
	expect(OK, dblock_extend(lease, 600000, &err));
	dblock_close(other, NULL);
}

static void every_call_says_so(void **state)
{
	(void)state;
	assert_int_equal(run_child(child_calls_everything), 0);
	parent_goes_on();
}

static void child_just_ends(void)
{
	exit(0); /* with everything that runs at an exit */
}

static void a_child_that_just_ends(void **state)
{
	(void)state;
	assert_int_equal(run_child(child_just_ends), 0);
	parent_goes_on();
}

static void child_opens_its_own(void)
{
	struct dblock_client *own;
	struct dblock_lock *got;

	child_has_threads();
	if (dblock_open(test_url(), NULL, &own, NULL))
		_exit(1);
	if (dblock_try(own, "x", NULL, &got, NULL) != DBLOCK_BUSY)
		_exit(2);
	if (dblock_try(own, "z", NULL, &got, NULL) || dblock_release(got, NULL))
		_exit(3);
	dblock_close(own, NULL);
	_exit(0);
}

/* Not on SQLite, whose own rule is that no connection may be open in the parent while the child
 * opens the same file: its locks belong to the process. */
static void a_child_with_a_client_of_its_own(void **state)
{
	(void)state;
	if (!on_backend("sqlite"))
		assert_int_equal(run_child(child_opens_its_own), 0);
	parent_goes_on();
}

static int set_up(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	client = client_new(0);
	lock = take(client, "x");
	options.lease_ms = 600000;
	expect(OK, dblock_try(client, "lease", &options, &lease, &err));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	give(lock);
	give(lease);
	dblock_close(client, NULL);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_call_says_so),
		CASE(a_child_that_just_ends),
		CASE(a_child_with_a_client_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
