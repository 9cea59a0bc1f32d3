/* SPDX-License-Identifier: MIT */
/*
 * A load test that begins on all machines of a fleet at once, and whose result is read when it has ended on all:
 * fleet_start URL N REQUESTS, on each of N machines.
 *
 * A barrier lets all N begin together, and end together: if one dies meanwhile, the others hear of it, and say that the
 * result is of no use. A latch, which all count down, is what a program that only wants the result waits for:
 * fleet_start URL N watch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/barrier.h>
#include <dblock/latch.h>

static void send_requests(long n)
{
	for (long i = 0; i < n; i++)
		; /* the server under test would be asked here */
	printf("sent %ld requests\n", n);
}

/* Done together, or not at all. */
static int take_part(struct dblock_client *client, long parties, long requests,
		     struct dblock_error *err)
{
	struct dblock_barrier *barrier;
	int rc = dblock_barrier_enter(client, "load-test", parties, NULL, &barrier, err);

	if (rc)
		return rc;
	send_requests(requests);
	rc = dblock_barrier_leave(barrier, NULL, err);
	return rc ? rc : dblock_latch_count_down(client, "load-test", 1, NULL, NULL, err);
}

static int run(struct dblock_client *client, long parties, const char *what,
	       struct dblock_error *err)
{
	int rc = dblock_latch_create(client, "load-test", parties, NULL, err);

	if (rc)
		return rc;
	if (strcmp(what, "watch") != 0)
		return take_part(client, parties, strtol(what, NULL, 10), err);
	rc = dblock_latch_wait(client, "load-test", NULL, err);
	if (rc == DBLOCK_OK)
		puts("all have ended");
	return rc ? rc : dblock_latch_reset(client, "load-test", 0, NULL, err);
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	int rc;

	if (argc != 4) {
		fprintf(stderr, "usage: fleet_start URL N REQUESTS | URL N watch\n");
		return 64;
	}
	options.auto_migrate = 1;
	rc = dblock_open(argv[1], &options, &client, &err);
	if (rc == DBLOCK_OK) {
		rc = run(client, strtol(argv[2], NULL, 10), argv[3], &err);
		dblock_close(client, NULL);
	}
	if (rc)
		fprintf(stderr, "fleet_start: %s\n", err.message);
	return rc ? 1 : 0;
}
