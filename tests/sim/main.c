/* SPDX-License-Identifier: MIT */
/*
 * The simulator runs the library's own code for 2 to 8 processes, in simulated time, by a seed.
 *
 *   sim [FROM [COUNT]]   runs the worlds with the seeds FROM .. FROM + COUNT - 1
 *   sim -t SEED          runs one, and tells what happens in it
 *   sim -f FILE          runs those that a file names: seeds that once showed a bug
 *
 * sim_quorum does the same with worlds of clusters (quorum/cluster.h), sim_mysql on a real server.
 */
#include <dblock/dblock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/report.h"

/* What lives in the worlds; another program has its own. */
#ifndef SIM_KIND
#define SIM_KIND single_worlds
#endif

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Runs a world, and returns true if all its invariants held. If not, it runs once more, and is
 * told. */
static bool live(struct world *w, struct report *r, uint64_t seed)
{
	world_run(w, &SIM_KIND, seed, false);
	report_add(r, w);
	if (!w->broken)
		return true;
	printf("seed %llu: %s: %s\n", (unsigned long long)seed, w->broken, w->why);
	return false;
}

static int live_one(struct world *w, uint64_t seed)
{
	world_run(w, &SIM_KIND, seed, true);
	printf("seed %llu: %s %s\n", (unsigned long long)seed, w->broken ? w->broken : "good",
	       w->why);
	return w->broken != NULL;
}

static int live_many(struct world *w, uint64_t from, uint64_t count)
{
	struct report r = {.worlds = 0};
	double begun = seconds();
	uint64_t first_broken = 0;
	bool enough;

	for (uint64_t seed = from; seed < from + count && r.broken < 60; seed++) {
		if (!live(w, &r, seed) && !first_broken)
			first_broken = seed;
	}
	enough = report_print(&r, SIM_KIND.counts, seconds() - begun);
	if (first_broken) {
		printf("the first that broke:\n");
		return live_one(w, first_broken);
	}
	return !enough;
}

static int live_listed(struct world *w, const char *path)
{
	FILE *file = fopen(path, "r");
	struct report r = {.worlds = 0};
	char line[200];

	if (!file) {
		perror(path);
		return 1;
	}
	while (fgets(line, sizeof(line), file)) {
		if (line[0] >= '0' && line[0] <= '9')
			live(w, &r, strtoull(line, NULL, 10));
	}
	fclose(file);
	printf("%llu seeds that once showed a bug; %llu do\n", (unsigned long long)r.worlds,
	       (unsigned long long)r.broken);
	return r.broken > 0 || r.worlds == 0;
}

int main(int argc, char **argv)
{
	static struct world world;

	SIM_KIND.setup(&world);
	if (argc == 3 && strcmp(argv[1], "-t") == 0)
		return live_one(&world, strtoull(argv[2], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "-f") == 0)
		return live_listed(&world, argv[2]);
	return live_many(&world, argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
			 argc > 2 ? strtoull(argv[2], NULL, 10) : 1000);
}
