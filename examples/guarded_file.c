/* SPDX-License-Identifier: MIT */
/*
 * A resource that refuses older tokens: guarded_file [URL [FILE]]
 *
 * No lock service can stop a holder that sleeps past the end of its lease and then goes on writing.
 * What it writes to can: it remembers the largest token that it has seen. Here it is a file whose
 * first line is that token.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <dblock/dblock.h>

enum { HEADER = 20 }; /* 19 digits and a newline */

static int64_t largest_seen(int fd)
{
	char header[HEADER + 1] = "";

	return pread(fd, header, HEADER, 0) == HEADER ? strtoll(header, NULL, 10) : 0;
}

static int append(int fd, const char *line)
{
	return lseek(fd, 0, SEEK_END) < 0 || dprintf(fd, "%s\n", line) < 0 ? -1 : 0;
}

/* The token first: a writer that dies in between has shut out the older ones, and done no more. */
static int raise_and_append(int fd, int64_t token, const char *line)
{
	char header[HEADER + 1];

	snprintf(header, sizeof(header), "%019" PRId64 "\n", token);
	if (pwrite(fd, header, HEADER, 0) != HEADER || append(fd, line))
		return -1;
	return fsync(fd);
}

/* Look and write in one: no other writer comes between, on this or any other token. */
static int guarded_append(const char *path, int64_t token, const char *line)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	int64_t seen;
	int rc = -1;

	if (fd < 0 || flock(fd, LOCK_EX)) {
		perror(path);
	} else if ((seen = largest_seen(fd)) > token) {
		printf("refused: '%s' with token %" PRId64 ", %" PRId64 " was here\n", line, token,
		       seen);
	} else if ((rc = raise_and_append(fd, token, line))) {
		perror(path);
	} else {
		printf("written: '%s' with token %" PRId64 "\n", line, token);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* With a lease: half a second from now it is over, whatever its holder believes. */
static struct dblock_lock *acquire(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err;
	struct dblock_lock *lock;

	options.lease_ms = 500;
	if (dblock_acquire(client, "guarded file", &options, &lock, &err) == DBLOCK_OK)
		return lock;
	fprintf(stderr, "guarded_file: %s\n", err.message);
	exit(EXIT_FAILURE);
}

static struct dblock_client *open_client(const char *url)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.auto_migrate = 1;
	if (dblock_open(url, &options, &client, &err) == DBLOCK_OK)
		return client;
	fprintf(stderr, "guarded_file: %s\n", err.message);
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	const char *url = argc > 1 ? argv[1] : "sqlite:guarded_file.db";
	const char *path = argc > 2 ? argv[2] : "guarded_file.txt";
	struct dblock_client *one = open_client(url), *two = open_client(url);
	struct dblock_lock *early, *late;
	int good;

	early = acquire(one);
	good = guarded_append(path, dblock_token(early), "one: begins") == 0;
	/* One falls asleep; two waits, gets the lock, and writes. */
	late = acquire(two);
	good &= guarded_append(path, dblock_token(late), "two: all of it") == 0;
	/* One wakes up and goes on, without having looked at its lock. */
	good &= guarded_append(path, dblock_token(early), "one: ends") != 0;
	dblock_release(early, NULL);
	dblock_release(late, NULL);
	dblock_close(one, NULL);
	dblock_close(two, NULL);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
