/* SPDX-License-Identifier: MIT */
/* Four calls: open, acquire, release, close. */
#include <stdio.h>
#include <stdlib.h>

#include <dblock/dblock.h>

int main(int argc, char **argv)
{
	const char *url = argc > 1 ? argv[1] : "sqlite:hello.db";
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_lock *lock;
	struct dblock_error err;

	if (dblock_open(url, NULL, &client, &err)) {
		fprintf(stderr, "hello: %s\n", err.message);
		return EXIT_FAILURE;
	}
	options.wait_ms = 2000;
	if (dblock_acquire(client, "hello", &options, &lock, &err)) {
		fprintf(stderr, "hello: %s\n", err.message);
		dblock_close(client, NULL);
		return EXIT_FAILURE;
	}
	printf("Hello! The lock 'hello' is mine, with token %lld.\n",
	       (long long)dblock_token(lock));
	if (dblock_release(lock, &err))
		fprintf(stderr, "hello: %s\n", err.message);
	dblock_close(client, NULL);
	return EXIT_SUCCESS;
}
