/* SPDX-License-Identifier: MIT */
/* The library and the process's signals: a storm of them changes nothing, SIGPIPE never arises, and
 * neither handlers nor the caller's mask are touched; its own threads take none. */
#include <dirent.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "base/host.h"
#include "support/raw.h"

/* ---- what is looked at ---------------------------------------------------------------------- */

enum { SIGNALS = 64 }; /* Linux numbers them from 1 */

/* Those that pthreads has for itself stay as they are. */
static void read_actions(struct sigaction actions[SIGNALS + 1])
{
	memset(actions, 0, sizeof(*actions) * (SIGNALS + 1));
	for (int i = 1; i <= SIGNALS; i++)
		(void)sigaction(i, NULL, &actions[i]);
}

static bool is_same_action(const struct sigaction *a, const struct sigaction *b)
{
	/* With the flag of the C library's own, which it sets for whoever installs anything. */
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

/* Anything that is neither empty nor full. */
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

/* What a thread blocks, as the kernel writes it. */
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

/* All that a thread can block, as the kernel writes it. */
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

/* The first test: MySQL's client library, when it starts, has SIGPIPE ignored for good. */
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
	dblock_close(client);
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
	calm(dblock_break(client, "y", 0, 0, &err));
	expect(LOST, dblock_release(lock, &err));
	has_own_mask("dblock_release of what was broken");
}

static void no_call_changes_the_mask(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_reaped reaped;
	struct dblock_client *client;

	(void)state;
	options.timeout_ms = PLENTY_MS;
	set_own_mask();
	calm(dblock_migrate_up(test_url(), &options, NULL, NULL, &err));
	calm(dblock_open(test_url(), &options, &client, &err));
	calm_lock(client);
	calm(dblock_list(client, NULL, ignore, NULL, &err));
	calm(dblock_show(client, "x", ignore, NULL, &err));
	calm(dblock_reap(client, NULL, &reaped, &err));
	dblock_close(client);
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
	/* The keeper and the sentinel; on MySQL a guard for each connection, too. */
	assert_int_equal(ours, on_backend("mysql") ? 4 : 2);
	dblock_close(client);
}

/* ---- a storm -------------------------------------------------------------------------------- */

static atomic_int alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

/* A signal each millisecond, for whatever thread takes it; system calls are not restarted. */
static void storm_begin(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval each = {{0, 1000}, {0, 1000}};

	alarms = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
}

static void storm_end(void)
{
	struct itimerval none = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_DFL);
}

/* What most programs do in turn. */
static void work(struct dblock_client *client, struct dblock_client *other)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.lease_ms = 600000;
	expect(OK, dblock_acquire(client, "storm", &options, &lock, &err));
	busy(other, "storm");
	expect(OK, dblock_extend(lock, 600000, &err));
	expect(OK, dblock_list(client, NULL, ignore, NULL, &err));
	give(lock);
	is_free(other, "storm");
}

static void a_storm_changes_no_outcome(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	int64_t give_up = clock_ms() + PLENTY_MS;

	(void)state;
	storm_begin();
	while (alarms < 500) {
		struct dblock_client *third;

		for (int i = 0; i < 10; i++)
			work(client, other);
		third = client_new(0);
		is_free(third, "third");
		dblock_close(third);
		assert_true(clock_ms() < give_up);
	}
	storm_end();
	dblock_close(other);
	dblock_close(client);
}

struct giver {
	struct dblock_lock *lock;
	int64_t after_ms;
	_Atomic int problems;
};

static void *give_later(void *arg)
{
	struct giver *giver = arg;
	struct dblock_error err = {0};

	sleep_ms(giver->after_ms);
	if (dblock_release(giver->lock, &err))
		note_problem(&giver->problems, "release", &err);
	return NULL;
}

/* Neither too early, nor never. */
static void a_storm_does_not_end_a_wait(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct giver giver = {.lock = take(client, "x"), .after_ms = 300};
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct crew crew = {.n = 0};
	int64_t begun = clock_ms();

	(void)state;
	storm_begin();
	options.wait_ms = 500;
	expect(TIMEOUT, dblock_acquire(other, "x", &options, &lock, &err));
	assert_true(clock_ms() - begun >= 500);
	crew_add(&crew, give_later, &giver);
	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(other, "x", &options, &lock, &err));
	crew_join(&crew);
	storm_end();
	assert_int_equal(giver.problems, 0);
	assert_true(alarms >= 100);
	give(lock);
	dblock_close(other);
	dblock_close(client);
}

/* ---- SIGPIPE -------------------------------------------------------------------------------- */

static void cut_postgresql(struct raw *raw)
{
	(void)raw_int(raw, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
			   "WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

static void cut_mysql(struct raw *raw)
{
	const char *next = "SELECT id FROM information_schema.processlist WHERE db = DATABASE() "
			   "AND id <> CONNECTION_ID() AND command <> 'Killed' LIMIT 1";
	int64_t id;

	while ((id = raw_int(raw, "%s", next)) != -1)
		raw_exec(raw, "KILL %lld", (long long)id);
}

static void cut_all(struct raw *raw)
{
	if (on_backend("postgresql"))
		cut_postgresql(raw);
	else
		cut_mysql(raw);
}

/* With the default action it would end this process. Requests meet a connection that was cut, and
 * so does the heartbeat, and the farewell. */
static void a_cut_connection_is_no_sigpipe(void **state)
{
	enum { TTL_MS = 3000, TIMES = 10 };
	struct dblock_client *client = client_new(TTL_MS);
	struct raw *raw = raw_open(NULL);
	struct sigaction action;
	struct shown before, now;
	struct dblock_lock *lock;

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	for (int i = 0; i < TIMES; i++) {
		lock = take(client, "x");
		cut_all(raw);
		give(lock);
		cut_all(raw);
		is_free(client, "y");
	}
	lock = take(client, "z");
	cut_all(raw);
	before = now = show(client, "z");
	while (now.h.expires_us == before.h.expires_us) {
		sleep_ms(10);
		now = show(client, "z");
	}
	cut_all(raw);
	dblock_close(client);
	sigaction(SIGPIPE, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_handler_is_installed),
		cmocka_unit_test(no_call_changes_the_mask),
		cmocka_unit_test(its_threads_block_all_signals),
		cmocka_unit_test(a_storm_changes_no_outcome),
		cmocka_unit_test(a_storm_does_not_end_a_wait),
	};
	const struct CMUnitTest server_tests[] = {
		cmocka_unit_test(a_cut_connection_is_no_sigpipe),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (!on_backend("sqlite"))
		failed += cmocka_run_group_tests(server_tests, NULL, NULL);
	return failed;
}
