/* SPDX-License-Identifier: MIT */
/* bench needs: nothing */
/* flock(2) on a file of the name, as flock(1) takes it. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "bench.h"

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void take(void *given, const char *name, struct bench_grant *g)
{
	const struct bench_place *place = given;
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.lock", place->server, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || flock(fd, LOCK_EX))
		bench_fail("flock: %s", path);
	g->nonce = (uint64_t)fd;
}

static void give(void *given, const char *name, struct bench_grant *g)
{
	(void)given;
	(void)name;
	close((int)g->nonce);
}

static const struct bench_subject subjects[] = {
	{.name = "flock",
	 .server = "sqlite",
	 .in = "takeover",
	 .quick = true,
	 .open = open_place,
	 .acquire = take,
	 .release = give},
};

BENCH_SUBJECTS(subjects)
