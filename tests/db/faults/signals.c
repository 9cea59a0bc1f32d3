/* SPDX-License-Identifier: MIT */
/* The library and the process's signals: neither handlers nor the caller's mask are touched, and
 * its own threads take none. */
#include <dirent.h>

#include "base/host.h"
#include "support/raw.h"

/* ---- what is looked at ---------------------------------------------------------------------- */

enum { SIGNALS = 64 }; /* Linux numbers them from 1 */

/* Reads all actions; those that pthreads has for itself cannot be read, and stay 0. */
static void read_actions(struct sigaction actions[SIGNALS + 1])
{
	memset(actions, 0, sizeof(*actions) * (SIGNALS + 1));
	for (int i = 1; i <= SIGNALS; i++)
		(void)sigaction(i, NULL, &actions[i]);
}

static bool is_same_action(const struct sigaction *a, const struct sigaction *b)
{
	/* The C library sets this flag whenever an action is installed. */
	const int restorer = 0x04000000;

	return a->sa_handler == b->sa_handler &&
	       (a->sa_flags | restorer) == (b->sa_flags | restorer);
}

static void same_actions(const struct sigaction *before)
{
	struct sigaction now[SIGNALS + 1];

	read_actions(now);
	for (int i = 1; i <= SIGNALS; i++) {
		if (!is_same_action(&now[i], &before[i]))
			fail_msg("signal %d has another handler: %p, flags %x", i,
				 (void *)(uintptr_t)now[i].sa_handler, (unsigned)now[i].sa_flags);
	}
}

/* Sets a mask that is neither empty nor full. */
static void set_own_mask(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGCHLD);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void has_own_mask(const char *call)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i <= SIGNALS; i++) {
		if ((sigismember(&mask, i) == 1) != (i == SIGUSR1 || i == SIGCHLD))
			fail_msg("%s changed the mask: signal %d", call, i);
	}
}

static void no_mask(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Returns the signals that a thread blocks, as the kernel writes them. */
static uint64_t blocked_by(int tid)
{
	char line[128];
	unsigned long long mask = 0;
	FILE *file;

	snprintf(line, sizeof(line), "/proc/self/task/%d/status", tid);
	file = fopen(line, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		(void)sscanf(line, "SigBlk: %llx", &mask);
	fclose(file);
	return mask;
}

enum { THREADS_MAX = 64 };

static int list_threads(int tids[THREADS_MAX])
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && n < THREADS_MAX)
			tids[n++] = atoi(entry->d_name);
	}
	closedir(dir);
	return n;
}

static bool is_among(int tid, const int *tids, int n)
{
	for (int i = 0; i < n; i++) {
		if (tids[i] == tid)
			return true;
	}
	return false;
}

/* Returns all signals that a thread can block, as the kernel writes them. */
static uint64_t everything(void)
{
	sigset_t all, before;
	uint64_t mask;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	mask = blocked_by((int)dbl_host_thread());
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return mask;
}

/* ---- handlers, masks, threads --------------------------------------------------------------- */

/* This test must be the first: MySQL's client library, when it starts, has SIGPIPE ignored for
 * good. */
static void no_handler_is_installed(void **state)
{
	struct sigaction before[SIGNALS + 1];
	struct dblock_client *client;

	(void)state;
	read_actions(before);
	client = client_new(0);
	same_actions(before);
	is_free(client, "x");
	same_actions(before);
	dblock_close(client, NULL);
	same_actions(before);
}

static int ignore(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 0;
}

#define calm(call)                                                                                 \
	do {                                                                                       \
		expect(OK, call);                                                                  \
		has_own_mask(#call);                                                               \
	} while (0)

static void calm_lock(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;
	int fd;

	options.lease_ms = 600000;
	calm(dblock_acquire(client, "x", &options, &lock, &err));
	calm(dblock_extend(lock, 600000, &err));
	calm(dblock_lost_fd(lock, &fd, &err));
	token = dblock_token(lock);
	calm(dblock_extend_token(client, "x", token, 600000, &err));
	assert_true(dblock_valid(lock, 0));
	has_own_mask("dblock_valid");
	calm(dblock_release(lock, &err));
	calm(dblock_try(client, "x", &options, &lock, &err));
	calm(dblock_release_token(client, "x", dblock_token(lock), &err));
	calm(dblock_try(client, "y", NULL, &lock, &err));
	calm(break_by_force(client, "y", 0, 0, &err));
	expect(LOST, dblock_release(lock, &err));
	has_own_mask("dblock_release of what was broken");
}

static void no_call_changes_the_mask(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_client *client;

	(void)state;
	options.timeout_ms = PLENTY_MS;
	set_own_mask();
	calm(dblock_migrate_up(test_url(), &options, NULL, NULL, NULL, &err));
	calm(dblock_open(test_url(), &options, &client, &err));
	calm_lock(client);
	calm(dblock_list(client, NULL, ignore, NULL, &err));
	calm(dblock_show(client, "x", ignore, NULL, &err));
	calm(dblock_reap(client, NULL, &reaped, &err));
	dblock_close(client, NULL);
	has_own_mask("dblock_close");
	no_mask();
}

/* A thread that is just being born blocks even what pthreads has for itself. */
static uint64_t blocked_once_born(int tid, uint64_t all)
{
	int64_t give_up = clock_ms() + PLENTY_MS;
	uint64_t mask;

	while ((mask = blocked_by(tid)) & ~all) {
		assert_true(clock_ms() < give_up);
		sleep_ms(1);
	}
	return mask;
}

static void its_threads_block_all_signals(void **state)
{
	struct dblock_client *client;
	int before[THREADS_MAX], now[THREADS_MAX];
	int n_before = list_threads(before), n, ours = 0;
	uint64_t all = everything();

	(void)state;
	client = client_new(0);
	is_free(client, "x");
	n = list_threads(now);
	for (int i = 0; i < n; i++) {
		if (is_among(now[i], before, n_before))
			continue;
		ours++;
		assert_int_equal(blocked_once_born(now[i], all), all);
	}
	/* The heartbeat thread, the watchdog, and the thread that listens to datagrams since there
	 * was a grant; on MySQL a guard for each connection, too. */
	assert_int_equal(ours, on_backend("mysql") ? 5 : 3);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_handler_is_installed),
		cmocka_unit_test(no_call_changes_the_mask),
		cmocka_unit_test(its_threads_block_all_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
