/* SPDX-License-Identifier: MIT */
/*
 * A cron task on every machine that is done exactly once: cron_once SLOT FILE [URL]
 *
 * Put it into the crontab of each host of a fleet, with the date as the slot. The first one does
 * the job, which takes a second and ends with a line in FILE; who comes meanwhile waits, and hears
 * that it has been done; if the first one dies in the middle, or fails, one of those who wait does
 * it.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <dblock/dblock.h>

enum {
	TTL_MS = 2000, /* whoever dies is replaced after that */
	PART_MS = 100,
	PARTS = 10
};

/* In parts, so that it can stop when it must: false. The line is its effect, at the very end; a job
 * whose effects are in the same database can commit them with the mark: docs/user/once.md. */
static bool work(struct dblock_lock *lock, const char *path)
{
	FILE *file;
	int rc;

	printf("begins '%s'\n", dblock_once_slot(lock));
	fflush(stdout);
	for (int part = 0; part < PARTS; part++) {
		if (!dblock_valid(lock, 2 * PART_MS))
			return false;
		poll(NULL, 0, PART_MS);
	}
	file = fopen(path, "a");
	if (!file)
		return false;
	rc = fprintf(file, "%s token %lld\n", dblock_once_slot(lock),
		     (long long)dblock_token(lock));
	return fclose(file) == 0 && rc > 0;
}

static int once(struct dblock_client *client, const char *slot, const char *path,
		struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_once(client, "cron_once", slot, NULL, &lock, err);

	if (rc)
		return rc;
	if (!work(lock, path)) {
		(void)dblock_release(lock, NULL); /* it is still to be done */
		fprintf(stderr, "cron_once: stopped in the middle\n");
		return DBLOCK_LOST;
	}
	/* A failure leaves the handle, and may have marked it: it is made sure of. */
	while ((rc = dblock_once_done(lock, err)) < 0 && dblock_valid(lock, 0))
		fprintf(stderr, "cron_once: %s\n", err->message);
	if (rc < 0)
		(void)dblock_release(lock, NULL);
	return rc;
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err = {0};
	int rc;

	if (argc < 3) {
		fprintf(stderr, "usage: cron_once SLOT FILE [URL]\n");
		return EXIT_FAILURE;
	}
	options.ttl_ms = TTL_MS;
	options.auto_migrate = 1;
	rc = dblock_open(argc > 3 ? argv[3] : "sqlite:cron_once.db", &options, &client, &err);
	if (rc == DBLOCK_OK) {
		rc = once(client, argv[1], argv[2], &err);
		dblock_close(client, NULL);
	}
	if (rc == DBLOCK_OK)
		printf("did '%s'\n", argv[1]);
	else
		fprintf(rc == DBLOCK_DONE ? stdout : stderr, "cron_once: %s\n", err.message);
	return rc == DBLOCK_OK || rc == DBLOCK_DONE ? EXIT_SUCCESS : EXIT_FAILURE;
}
