/* SPDX-License-Identifier: MIT */
/*
 * Readers together, a writer alone: readers read|write|revise TIMES [URL]
 *
 * The resource is two files that must agree, "left" and "right" in the current folder. Readers look
 * at both, beside each other, and count how often they differ. A writer is alone with them. Who
 * revises reads first, and writes only if there is something to write: it asks for the mode
 * `update`, beside readers, and upgrades to be alone. Two of those never wait for each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/dblock.h>

static int read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	int number = 0;

	if (file && fscanf(file, "%d", &number) != 1)
		number = -1; /* somebody is writing it */
	if (file)
		fclose(file);
	return number;
}

static void write_number(const char *path, int number)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%d\n", number) < 0 || fclose(file))
		perror(path);
}

static void raise_both(void)
{
	int number = read_number("left") + 1;

	write_number("left", number);
	write_number("right", number);
}

static int acquire(struct dblock_client *client, enum dblock_mode mode, struct dblock_lock **lock,
		   struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.mode = mode;
	return dblock_acquire(client, "files", &options, lock, err);
}

/* One turn; *torn counts what no reader may see. */
static int turn(struct dblock_client *client, enum dblock_mode mode, int *torn,
		struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = acquire(client, mode, &lock, err), released;

	if (rc)
		return rc;
	*torn += read_number("left") != read_number("right");
	if (mode == DBLOCK_UPDATE)
		rc = dblock_upgrade(lock, NULL, err); /* waits for the readers to go */
	if (rc == DBLOCK_OK && mode != DBLOCK_SHARED)
		raise_both();
	released = dblock_release(lock, rc ? NULL : err);
	return rc ? rc : released;
}

static int mode_of(const char *what, enum dblock_mode *mode)
{
	if (strcmp(what, "read") == 0)
		*mode = DBLOCK_SHARED;
	else if (strcmp(what, "write") == 0)
		*mode = DBLOCK_EXCLUSIVE;
	else if (strcmp(what, "revise") == 0)
		*mode = DBLOCK_UPDATE;
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;
	enum dblock_mode mode;
	int torn = 0, rc;

	if (argc < 3 || mode_of(argv[1], &mode)) {
		fprintf(stderr, "usage: readers read|write|revise TIMES [URL]\n");
		return 2;
	}
	options.app = "readers";
	options.auto_migrate = 1;
	rc = dblock_open(argc > 3 ? argv[3] : "sqlite:dblock.db", &options, &client, &err);
	for (int i = atoi(argv[2]); i > 0 && rc == DBLOCK_OK; i--)
		rc = turn(client, mode, &torn, &err);
	dblock_close(client, NULL);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "readers: %s\n", err.message);
	printf("%s: %d torn\n", argv[1], torn);
	return rc != DBLOCK_OK || torn;
}
