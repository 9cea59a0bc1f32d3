/* SPDX-License-Identifier: MIT */
/*
 * One leader among any number of processes: leader [URL]
 *
 * Who holds the lock leads, and works only while that is certain. A leader that has lost it (the
 * process was stopped, the database could not be reached for too long) steps down and stands again;
 * one that died is replaced at the latest after its ttl. Start it several times and stop one.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <dblock/dblock.h>

enum {
	TTL_MS = 5000,
	STEP_MS = 200, /* how long a step of the work takes at most */
	REST_MS = 500
};

static volatile sig_atomic_t stopping;

static void on_signal(int number)
{
	(void)number;
	stopping = 1;
}

static int is_stopping(void *arg)
{
	(void)arg;
	return stopping;
}

/* What only a leader may do; short, so that it is over before the lock can be. */
static void work(int64_t token)
{
	printf("working, with token %lld\n", (long long)token);
	fflush(stdout);
}

/* Until the lock is lost, or we are asked to stop. */
static void lead(struct dblock_lock *lock)
{
	struct pollfd lost = {.events = POLLIN};

	if (dblock_lost_fd(lock, &lost.fd, NULL))
		return;
	/* Asked anew before each step: a process can sleep between any two of its instructions. */
	while (!stopping && dblock_valid(lock, STEP_MS)) {
		work(dblock_token(lock));
		poll(&lost, 1, REST_MS); /* a rest that ends at once with the lock */
	}
}

static void stand(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err;
	struct dblock_lock *lock;

	options.canceled = is_stopping;
	if (dblock_acquire(client, "leader", &options, &lock, &err)) {
		fprintf(stderr, "leader: %s\n", err.message);
		poll(NULL, 0, stopping ? 0 : REST_MS);
		return;
	}
	printf("elected\n");
	lead(lock);
	printf(dblock_release(lock, &err) == DBLOCK_OK ? "resigned\n" : "stepped down\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct sigaction stop = {.sa_handler = on_signal};
	struct dblock_client *client;
	struct dblock_error err;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	options.ttl_ms = TTL_MS;
	options.auto_migrate = 1;
	if (dblock_open(argc > 1 ? argv[1] : "sqlite:leader.db", &options, &client, &err)) {
		fprintf(stderr, "leader: %s\n", err.message);
		return EXIT_FAILURE;
	}
	while (!stopping)
		stand(client);
	dblock_close(client);
	return EXIT_SUCCESS;
}
