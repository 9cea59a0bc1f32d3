/* SPDX-License-Identifier: MIT */
/*
 * A semaphore: pool CAPACITY N [URL] [NAME]
 *
 * Any number of processes, on any number of machines, and never more than CAPACITY units in use:
 * each asks for N of them, first come, first served, also who asks for many. A permit is a grant
 * like any other: it has a token, and who dies gives its permits back after its ttl.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <dblock/dblock.h>

enum { WORK_MS = 50 };

static int use(struct dblock_client *client, const char *name, int64_t n, int64_t capacity,
	       struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;
	int rc;

	options.mode = DBLOCK_PERMITS;
	options.permits = n;
	options.capacity = capacity; /* all that use the name must agree on it */
	rc = dblock_acquire(client, name, &options, &lock, err);
	if (rc != DBLOCK_OK)
		return rc;
	printf("begin %" PRId64 "\n", n);
	fflush(stdout);
	poll(NULL, 0, WORK_MS); /* here it would use the units */
	printf("end %" PRId64 "\n", n);
	fflush(stdout);
	return dblock_release(lock, err);
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;
	int rc;

	if (argc < 3) {
		fprintf(stderr, "usage: pool CAPACITY N [URL] [NAME]\n");
		return 2;
	}
	options.app = "pool";
	options.auto_migrate = 1;
	rc = dblock_open(argc > 3 ? argv[3] : "sqlite:dblock.db", &options, &client, &err);
	if (rc == DBLOCK_OK)
		rc = use(client, argc > 4 ? argv[4] : "pool", atoll(argv[2]), atoll(argv[1]), &err);
	dblock_close(client, NULL);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "pool: %s\n", err.message);
	return rc != DBLOCK_OK;
}
