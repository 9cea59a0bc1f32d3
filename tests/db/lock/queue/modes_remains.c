/* SPDX-License-Identifier: MIT */
/* The kind of a name (lock or semaphore) follows from those who use it. If a holder died, in
 * whatever mode, callers wait until it is declared dead. */
#include "support/kit.h"
#include "support/raw.h"

enum { LIFE_MS = 1000 };

static struct dblock_acquire_options in_mode(enum dblock_mode mode)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.mode = mode;
	how.capacity = mode == DBLOCK_PERMITS ? 2 : 0;
	return how;
}

/* Runs as a process that takes the lock, and is killed while it holds it. */
static int die_with(const char *name, enum dblock_mode mode)
{
	struct dblock_acquire_options how = in_mode(mode);
	struct dblock_client *client = client_new(LIFE_MS);
	struct dblock_lock *lock;

	if (dblock_try(client, name, &how, &lock, NULL) == DBLOCK_OK)
		kill(getpid(), SIGKILL);
	return 1;
}

static void one_dies_with(const char *name, enum dblock_mode mode)
{
	char text[] = {(char)('0' + (int)mode), '\0'};
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		execl("/proc/self/exe", "modes_remains", name, text, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void until_it_looks_dead(void)
{
	struct raw *raw = raw_open(NULL);

	while (raw_int(raw, "SELECT count(*) FROM dblock_session WHERE expires > {boot}") > 0)
		sleep_ms(20);
	raw_close(raw);
}

/* Naive: "'k' is in use as a semaphore of 2 permits", though nobody uses it. */
static void can_be_had(const char *name, enum dblock_mode before, enum dblock_mode mode)
{
	struct dblock_acquire_options how = in_mode(mode);
	struct dblock_client *client;
	struct dblock_lock *lock;
	struct dblock_error err = {0};

	how.wait_ms = PLENTY_MS;
	one_dies_with(name, before);
	until_it_looks_dead();
	client = client_new(0);
	expect(OK, dblock_acquire(client, name, &how, &lock, &err));
	expect(OK, dblock_release(lock, &err));
	dblock_close(client, NULL);
}

static void after_a_semaphore(void **state)
{
	(void)state;
	can_be_had("a", DBLOCK_PERMITS, DBLOCK_SHARED);
	can_be_had("b", DBLOCK_PERMITS, DBLOCK_EXCLUSIVE);
}

static void after_a_lock_held_alone(void **state)
{
	(void)state;
	can_be_had("c", DBLOCK_EXCLUSIVE, DBLOCK_PERMITS);
}

static void after_readers(void **state)
{
	(void)state;
	can_be_had("d", DBLOCK_SHARED, DBLOCK_PERMITS);
}

/* While the holder looks alive, other callers are told so. */
static void not_of_who_lives(void **state)
{
	struct dblock_acquire_options held = in_mode(DBLOCK_PERMITS), how = in_mode(DBLOCK_SHARED);
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock, *other;
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_acquire(a, "k", &held, &lock, &err));
	expect(E_INVALID, dblock_acquire(b, "k", &how, &other, &err));
	expect(OK, dblock_release(lock, &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_semaphore),
		cmocka_unit_test(after_a_lock_held_alone),
		cmocka_unit_test(after_readers),
		cmocka_unit_test(not_of_who_lives),
	};

	if (argc == 3)
		return die_with(argv[1], (enum dblock_mode)(argv[2][0] - '0'));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
