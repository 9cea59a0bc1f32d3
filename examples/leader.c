/* SPDX-License-Identifier: MIT */
/*
 * One leader among any number of processes: leader [URL [watch]]
 *
 * Each stands for leader; the one that leads works, but only while that is certain, and tells the
 * others what it is at. A leader that has lost the lead (the process was stopped, the database
 * could not be reached for too long) knows it before anybody else can lead: it steps down and
 * stands again. One that died is replaced at the latest after its ttl. Start it several times and
 * stop one; with `watch` it says who leads, and what that one says, whenever that changes.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What only a leader may do; short, so that it is over before the lead can be. What must not be
 * done by an old leader, whatever happens, carries the token, for who is asked to compare. */
static void work(int64_t token)
{
	printf("working, with token %lld\n", (long long)token);
	fflush(stdout);
}

/* What the others read; if it cannot be written now, the next time will do. */
static void proclaim(struct dblock_lock *lock, int steps)
{
	struct dblock_error err;
	char value[32];

	snprintf(value, sizeof(value), "%d steps", steps);
	if (dblock_proclaim(lock, value, &err))
		fprintf(stderr, "leader: %s\n", err.message);
}

/* Until the lead is lost, or we are asked to stop. */
static void lead(struct dblock_lock *lock)
{
	struct pollfd lost = {.events = POLLIN};

	if (dblock_lost_fd(lock, &lost.fd, NULL))
		return;
	/* Asked anew before each step: a process can sleep between any two of its instructions. */
	for (int steps = 1; !stopping && dblock_valid(lock, STEP_MS); steps++) {
		work(dblock_token(lock));
		proclaim(lock, steps);
		poll(&lost, 1, REST_MS); /* a rest that ends at once with the lead */
	}
}

static void on_trouble(void *arg, const struct dblock_error *why)
{
	(void)arg;
	fprintf(stderr, "leader: %s\n", why->message);
}

static void stand(struct dblock_client *client)
{
	struct dblock_elect_options options = DBLOCK_ELECT_OPTIONS_INIT;
	struct dblock_error err;
	struct dblock_lock *lock;

	options.value = "0 steps";
	options.canceled = is_stopping;
	options.trouble = on_trouble; /* it goes on all the same */
	if (dblock_elect(client, "leader", &options, &lock, &err)) {
		fprintf(stderr, "leader: %s\n", err.message);
		poll(NULL, 0, stopping ? 0 : REST_MS);
		return;
	}
	printf("elected\n");
	lead(lock);
	printf(dblock_release(lock, &err) == DBLOCK_OK ? "resigned\n" : "stepped down\n");
	fflush(stdout);
}

static void watch(struct dblock_client *client)
{
	struct dblock_watch_options options = DBLOCK_WATCH_OPTIONS_INIT;
	struct dblock_leader leader = DBLOCK_LEADER_INIT;
	struct dblock_error err;

	options.canceled = is_stopping;
	while (!stopping) {
		int rc = dblock_leader_watch(client, "leader", &options, &leader, &err);

		if (rc == DBLOCK_OK)
			printf("pid %lld leads, with token %lld: %s\n", (long long)leader.pid,
			       (long long)leader.token, leader.value);
		else if (rc == DBLOCK_STALE)
			printf("nobody leads\n");
		else if (!stopping)
			fprintf(stderr, "leader: %s\n", err.message);
		fflush(stdout);
	}
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
		(argc > 2 && strcmp(argv[2], "watch") == 0 ? watch : stand)(client);
	dblock_close(client, NULL);
	return EXIT_SUCCESS;
}
