/* SPDX-License-Identifier: MIT */
#include "several.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_several_urls(const struct bench_place *place, char *urls[BENCH_SEVERAL_MAX])
{
	char *rest = strdup(place->url);

	for (unsigned i = 0; i < bench_several_of(place)->n; i++) {
		urls[i] = strsep(&rest, " ");
		if (!urls[i])
			bench_fail("the place has %u URLs only", i);
	}
}

/* Its server is one process: a MariaDB, or a Redis. */
static void tell_last(const struct bench_place *place, int signal)
{
	const struct bench_several *set = bench_several_of(place);
	char folder[600], *pid;

	if (!set->silent)
		return;
	snprintf(folder, sizeof(folder), "%s/%u", place->server, set->n);
	pid = bench_read_state(folder, "pid");
	if (!pid || kill((pid_t)atol(pid), signal))
		bench_fail("server %u cannot be told: %s", set->n, strerror(errno));
	free(pid);
}

void bench_several_silence(const struct bench_place *place)
{
	tell_last(place, SIGSTOP);
}

void bench_several_wake(const struct bench_place *place)
{
	tell_last(place, SIGCONT);
}
