/* SPDX-License-Identifier: MIT */
/*
 * Finds out whether the simulator finds bugs. Each bug of list.txt is planted, and worlds run until
 * some of them break; in as many worlds without a bug none breaks.
 *
 *   sim_mutants            all bugs
 *   sim_mutants NAME       one
 *   sim_mutants NAME SEED  one, in one world, which is told
 *   sim_mutants planted    all, in a few worlds: is what they change still there? (It ends at the
 *                          first that is not.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/mutants/mutants.h"

/* Chance will not find a bug that shows in fewer than one of so many worlds. */
enum { WORLDS_PLANTED = 3 };
enum { WORLDS_MAX = 20000, WORLDS_ENOUGH = 1000, KILLS_ENOUGH = 3, INVARIANTS_MAX = 16 };

struct verdict {
	int worlds, kills;
	uint64_t first;
	struct {
		const char *name;
		int kills;
	} by[INVARIANTS_MAX];
};

static void plant(int n)
{
	sim_mutant = n;
	database_plant(NULL);
	for (const struct mutant_sql *c = mutants_sql; c->mutant; c++) {
		if (c->mutant == n)
			database_plant(c);
	}
}

static void note(struct verdict *v, const struct world *w)
{
	int i = 0;

	if (v->kills++ == 0)
		v->first = w->seed;
	while (v->by[i].name && strcmp(v->by[i].name, w->broken) != 0)
		i++;
	v->by[i].name = w->broken;
	v->by[i].kills++;
}

static struct verdict judge(struct world *w, int n)
{
	const struct kind *kind = mutants[n - 1].kind;
	struct verdict v = {.worlds = 0};

	plant(n);
	while (v.worlds < (v.kills ? WORLDS_ENOUGH : WORLDS_MAX) && v.kills < KILLS_ENOUGH) {
		world_run(w, kind, (uint64_t)++v.worlds, false);
		if (w->broken)
			note(&v, w);
	}
	return v;
}

static bool tell(const struct mutant *m, const struct verdict *v)
{
	printf("%-29s", m->name);
	if (v->kills == 0)
		printf(" LIVES through %d worlds: %s", v->worlds, m->why);
	else
		printf(" %d of %5d worlds, first seed %5llu:", v->kills, v->worlds,
		       (unsigned long long)v->first);
	for (int i = 0; v->by[i].name; i++)
		printf(" %s (%d)", v->by[i].name, v->by[i].kills);
	printf("\n");
	fflush(stdout);
	return v->kills > 0;
}

static int tell_one(struct world *w, const char *name, uint64_t seed)
{
	for (int i = 0; mutants[i].name; i++) {
		if (strcmp(mutants[i].name, name) != 0)
			continue;
		plant(i + 1);
		world_run(w, mutants[i].kind, seed, true);
		return w->broken == NULL;
	}
	fprintf(stderr, "sim_mutants: there is no mutant %s\n", name);
	return 2;
}

static int plant_all(struct world *w)
{
	for (int i = 0; mutants[i].name; i++) {
		fprintf(stderr, "%s\n", mutants[i].name);
		plant(i + 1);
		for (uint64_t seed = 1; seed <= WORLDS_PLANTED; seed++)
			world_run(w, mutants[i].kind, seed, false);
	}
	return 0;
}

/* The same code runs without a bug: nothing may break. */
static bool is_sound(struct world *w, const struct kind *kind)
{
	plant(0);
	for (uint64_t seed = 1; seed <= 500; seed++) {
		world_run(w, kind, seed, false);
		if (!w->broken)
			continue;
		printf("without a bug, seed %llu: %s: %s\n", (unsigned long long)seed, w->broken,
		       w->why);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct world world;
	int judged = 0, living = 0, n = 0;

	single_worlds.setup(&world);
	cluster_worlds.setup(&world);
	if (argc == 3)
		return tell_one(&world, argv[1], strtoull(argv[2], NULL, 10));
	if (argc == 2 && strcmp(argv[1], "planted") == 0)
		return plant_all(&world);
	if (!is_sound(&world, &single_worlds) || !is_sound(&world, &cluster_worlds))
		return 1;
	for (; mutants[n].name; n++) {
		struct verdict v;

		if (argc == 2 && strcmp(mutants[n].name, argv[1]) != 0)
			continue;
		if (argc == 1 && mutants[n].test) {
			printf("%-29s left to %s\n", mutants[n].name, mutants[n].test);
			continue;
		}
		v = judge(&world, n + 1);
		judged++;
		if (!tell(&mutants[n], &v))
			living++;
	}
	printf("%d mutants, %d found\n", judged, judged - living);
	return living > 0 || judged == 0;
}
