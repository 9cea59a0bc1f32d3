/* SPDX-License-Identifier: MIT */
/* The cost of a lone acquire and release inside the process. */
#include <dirent.h>

#include <stdatomic.h>

#include "api/client.h"
#include "lock/watch/own.h"
#include "support/kit.h"

enum { PAIRS = 200 };

/* The number of requests for memory by this program with the library in it, not by the client
 * libraries. */
static atomic_int asked_for_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	asked_for_memory++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	asked_for_memory++;
	return __real_realloc(p, size);
}

static void pairs(struct dblock_client *client, int n)
{
	for (int i = 0; i < n; i++)
		is_free(client, "x");
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Returns how often that thread has gone to sleep by itself. */
static long slept(const char *tid)
{
	char path[64], line[128];
	long n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		(void)sscanf(line, "voluntary_ctxt_switches: %ld", &n);
	if (file)
		fclose(file);
	return n;
}

static long others_slept(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	long n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != getpid())
			n += slept(entry->d_name);
	}
	closedir(dir);
	return n;
}

/* Our threads look now and then by themselves, each about once a second. */
static void wakes_no_other_thread(void **state)
{
	struct dblock_client *client = client_new(0);
	int64_t begun, took_s;
	long before;

	(void)state;
	pairs(client, 10);
	begun = clock_ms();
	before = others_slept();
	pairs(client, PAIRS);
	took_s = (clock_ms() - begun) / 1000;
	assert_true(others_slept() - before < PAIRS / 4 + 8 * took_s);
	dblock_close(client, NULL);
}

static int64_t watchdog_until(struct dbl_locks *locks)
{
	int64_t until;

	dbl_lock(&locks->mutex);
	until = locks->watchdog->sleeps_until;
	dbl_unlock(&locks->mutex);
	return until;
}

/* The watchdog, which tells that a lock is lost, sleeps no longer than until the first deadline. */
static void sentinel_knows_the_first_end(void **state)
{
	struct dblock_client *client = client_new(600000);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *first = take(client, "first"), *lock;
	struct dblock_error err = {0};
	int64_t until;

	(void)state;
	while (watchdog_until(client->locks) == 0)
		sleep_ms(1);
	options.lease_ms = 300000;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	until = watchdog_until(client->locks);
	assert_true(until <= dbl_validity_end_of(&lock->grant.lease));
	while ((until = watchdog_until(client->locks)) == 0)
		sleep_ms(1);
	assert_true(until <= dbl_validity_end_of(&lock->grant.lease));
	give(lock);
	give(first);
	dblock_close(client, NULL);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* An acquire asks for the handle and for the cleanup; the release frees both. */
static void asks_for_memory_twice(void **state)
{
	struct dblock_client *client = client_new(0);

	(void)state;
	pairs(client, 10);
	asked_for_memory = 0;
	pairs(client, PAIRS);
	assert_int_equal(asked_for_memory, 2 * PAIRS);
	dblock_close(client, NULL);
}

/* A lock that is kept idle is taken again without a request. */
static void what_is_kept_asks_for_none(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.idle_ms = 600000;
	for (int i = 0; i <= PAIRS; i++) {
		if (i == 1)
			asked_for_memory = 0;
		expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
		give(lock);
	}
	assert_int_equal(asked_for_memory, 0);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wakes_no_other_thread),
		cmocka_unit_test(sentinel_knows_the_first_end),
		cmocka_unit_test(asks_for_memory_twice),
		cmocka_unit_test(what_is_kept_asks_for_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
