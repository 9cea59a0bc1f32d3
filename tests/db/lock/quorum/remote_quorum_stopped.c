/* SPDX-License-Identifier: MIT */
/* A process that stands still for longer than its ttl, at any point of an acquire and of a release; and a member that
 * is killed, and comes back, while it is asked for its vote. */
#include <fcntl.h>
#include <poll.h>

#include "api/quorum.h"
#include "db/lock/quorum/cluster.h"
#include "driver/driver.h"
#include "support/server.h"
#include "support/thin.h"

enum { TTL_MS = 1000, BRIEF_MS = 1500, NOT_AT_ALL = 1000000 };

/* ---- the process: it stops itself before its k-th statement, or after it --------------------- */

static const struct dbl_driver *real;
static struct dbl_driver stopping;
static _Atomic int left = NOT_AT_ALL;
static bool stops_after;

static void stand_still(void)
{
	kill(getpid(), SIGSTOP);
	sleep_ms(10); /* the other threads may be told first */
}

static int run_or_stop(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		       int64_t *changed, struct dblock_error *err)
{
	bool mine = --left == 0;
	int rc;

	if (mine && !stops_after)
		stand_still();
	rc = real->run(stmt, args, n, changed, err);
	if (mine && stops_after)
		stand_still();
	return rc;
}

static const struct dbl_driver *intercept(void *ctx, const struct dbl_driver *driver)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	(void)ctx;
	pthread_mutex_lock(&mutex); /* members are opened side by side */
	if (!real) {
		real = driver;
		stopping = *driver;
		stopping.run = run_or_stop;
	}
	pthread_mutex_unlock(&mutex);
	return &stopping;
}

static const struct dbl_env *stopping_env(void)
{
	static struct dbl_env env;

	env = *dbl_env_system();
	env.intercept = intercept;
	return &env;
}

/* Tells its parent, by its standard output, what it believes. */
static void tell(char what)
{
	if (write(STDOUT_FILENO, &what, 1) != 1)
		_exit(3);
}

/* h: it holds it, n: not; and again when it has given it back. k 0: it stops when it has it. Its client is not
 * closed: its threads go on to the end. */
static int be_process(int k, bool after, char *const urls[])
{
	const char *const members[MEMBERS] = {urls[0], urls[1], urls[2]};
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_lock *lock;

	options.ttl_ms = SLOWLY_MS(TTL_MS);
	options.timeout_ms = PLENTY_MS;
	if (dbl_client_quorum_open(members, MEMBERS, &options, stopping_env(), &client, NULL))
		return 1;
	/* What the last one left behind, and is buried by who has watched it, is not in the way. */
	how.wait_ms = SLOWLY_MS(2 * TTL_MS);
	stops_after = after;
	left = k ? k : NOT_AT_ALL;
	if (dblock_acquire(client, "x", &how, &lock, NULL)) {
		tell('n');
		return 0;
	}
	if (!k)
		stand_still();
	tell(dblock_valid(lock, 0) ? 'h' : 'n');
	(void)dblock_release(lock, NULL);
	tell('n');
	return 0;
}

/* ---- its parent ------------------------------------------------------------------------------ */

struct process {
	pid_t pid;
	int out;
};

static struct process begin(int k, bool after)
{
	char number[20];
	struct process p;
	int ends[2];

	snprintf(number, sizeof(number), "%d", k);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	fflush(NULL);
	p.pid = fork();
	assert_true(p.pid >= 0);
	if (p.pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execl("/proc/self/exe", "process", number, after ? "after" : "before",
		      cluster.direct[0], cluster.direct[1], cluster.direct[2], (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	p.out = ends[0];
	return p;
}

/* It believes to hold it, by what it has told up to now. */
static bool believes(struct process *p)
{
	struct pollfd poll_out = {.fd = p->out, .events = POLLIN};
	char what = 'n';

	while (poll(&poll_out, 1, 0) == 1 && (poll_out.revents & POLLIN)) {
		if (read(p->out, &what, 1) != 1)
			break;
		if (what == 'h')
			return true;
	}
	return false;
}

/* Naive: it waits for the votes that are over, as nobody asks for them again, until its time-out. */
static void ends_well(struct process *p)
{
	int64_t since = clock_ms();
	int status;

	kill(p->pid, SIGCONT);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_int_equal(status, 0);
	assert_true(clock_ms() - since < PLENTY_MS / 2);
}

/* The parent gets what the stopped process has, or asks for, when its ttl is over; and has it until the process, which
 * goes on then, is over. */
static bool play(struct dblock_client *client, int k, bool after, int64_t *newest)
{
	struct dblock_acquire_options patient = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct process p = begin(k, after);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	bool stopped, kept, two;
	int status;

	assert_int_equal(waitpid(p.pid, &status, WUNTRACED), p.pid);
	stopped = WIFSTOPPED(status);
	patient.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, "x", &patient, &lock, &err));
	assert_true(dblock_token(lock) > *newest);
	*newest = dblock_token(lock);
	(void)believes(&p); /* that was before it stopped */
	if (stopped) {
		sleep_ms(SLOWLY_MS(TTL_MS)); /* a vote of its own is over, too */
		ends_well(&p);
	}
	two = stopped && believes(&p);
	close(p.out);
	kept = dblock_valid(lock, 0);
	(void)dblock_release(lock, NULL);
	if (two && kept)
		fail_msg("statement %d, stopped %s it: two hold it", k, after ? "after" : "before");
	return stopped;
}

static void who_stood_still_does_not_believe_to_hold_it(void **state)
{
	struct dblock_client *client = cluster_client(0);
	int64_t newest = 0;
	int k = 0, plays = 0;

	(void)state;
	for (bool stopped = true; stopped; k++) {
		for (int after = 0; after < 2 && stopped; after++) {
			if (!tries_here((unsigned)(2 * k + after), 3))
				continue;
			stopped = play(client, k, after, &newest);
			plays++;
		}
	}
	print_message("%d statements, %d plays\n", k - 1, plays);
	/* A majority is asked, and gives its votes back: the rest may not come before the end. */
	assert_true(k > 4);
	dblock_close(client, NULL);
}

/* ---- a member that is killed ----------------------------------------------------------------- */

static bool votes_there(void)
{
	struct raw *raw = raw_open_url(server_url(), NULL);
	bool yes = raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = 'quorum\x1f"
				"x' AND session IS NOT NULL") == 1;

	raw_close(raw);
	return yes;
}

static int set_up_own(void **state)
{
	(void)state;
	cluster_make_databases();
	server_start();
	cluster.urls[MEMBERS - 1] = server_url();
	cluster_init();
	return 0;
}

static int tear_down_own(void **state)
{
	server_stop();
	return cluster_tear_down(state);
}

/* It stands still when it is asked, so the question is with it when it dies. The two others are enough; and it
 * votes, too, when it is back. */
static void a_member_dies_while_it_is_asked(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_acquire_options patient = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t newest = 0;

	(void)state;
	options.ttl_ms = SLOWLY_MS(BRIEF_MS);
	EXPECT_OPEN(dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	patient.wait_ms = PLENTY_MS;
	for (int i = 0; i < 2; i++) {
		server_signal(SIGSTOP);
		expect(OK, dblock_acquire(client, "x", &patient, &lock, &err));
		assert_true(dblock_token(lock) > newest);
		newest = dblock_token(lock);
		server_signal(SIGKILL);
		server_restart();
		wait_until(votes_there());
		assert_true(dblock_token(lock) == newest);
		give_in_time_or_not(lock);
		wait_until(!votes_there());
	}
	dblock_close(client, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CLUSTER_CASE(who_stood_still_does_not_believe_to_hold_it),
		cmocka_unit_test_setup_teardown(a_member_dies_while_it_is_asked, set_up_own,
						tear_down_own),
	};

	if (argc == 3 + MEMBERS)
		_exit(be_process(atoi(argv[1]), strcmp(argv[2], "after") == 0, argv + 3));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
