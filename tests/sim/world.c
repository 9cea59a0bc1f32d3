/* SPDX-License-Identifier: MIT */
#include "sim/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/client.h"
#include "sim/schedule.h"

void world_break(struct world *w, const char *invariant, const char *format, ...)
{
	va_list args;

	if (w->broken)
		return;
	w->broken = invariant;
	va_start(args, format);
	vsnprintf(w->why, sizeof(w->why), format, args);
	va_end(args);
	world_tell(w, NULL, "BROKEN %s: %s", w->broken, w->why);
}

void world_tell(struct world *w, const struct process *p, const char *format, ...)
{
	const struct coroutine *self = coroutine_self();
	va_list args;

	if (!w->tells)
		return;
	printf("%12.6f  ", (double)w->now / 1e6);
	if (p)
		printf("process %d", p->number);
	if (p && self && self->process == p)
		printf(".%llu", (unsigned long long)self->id);
	if (p)
		printf(" ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* Most worlds have few clients: if two are enough for a fault to show, more would only hide it. */
static int how_many(struct rng *rng)
{
	return (int)(rng_one_in(rng, 4) ? rng_between(rng, 2, 8) : rng_between(rng, 2, 4));
}

static enum regime regime_of(uint64_t seed)
{
	static const enum regime by_turns[] = {STEADY, CLOCKS, STEADY, LOSSY};

	return by_turns[seed % 4];
}

/* Nearly half of the worlds have modes; those of seeds.txt are not among them, on purpose. */
static bool has_modes(uint64_t seed)
{
	return seed % 11 % 2 == 1;
}

/* What the other parts draw must not depend on this. */
static void begin_modes(struct world *w)
{
	w->modes = true;
	w->misuses = rng_one_in(&w->rng, 4);
	for (int i = 0; i < NAMES_MAX; i++) {
		if (rng_one_in(&w->rng, 3))
			w->capacity[i] = rng_between(&w->rng, 1, 5);
	}
}

static void begin(struct world *w, uint64_t seed, bool tells)
{
	struct queue queue = w->queue;

	queue_clear(&queue);
	memset(w, 0, sizeof(*w));
	w->queue = queue;
	w->seed = seed;
	w->tells = tells;
	w->rng.state = seed * 0x2545f4914f6cdd1du;
	w->regime = regime_of(seed);
	w->clock = (struct database_clock){
		.origin = rng_between(&w->rng, 10000000, INT64_C(1000000000000)),
		.ppm = rng_between(&w->rng, -40000, 40000),
	};
	w->network.starts = 1;
	w->n_names = (int)rng_between(&w->rng, 1, NAMES_MAX);
	w->n_processes = how_many(&w->rng);
	w->active_until = rng_between(&w->rng, 2000000, 6000000);
	if (has_modes(seed))
		begin_modes(w);
}

static void end(struct world *w)
{
	for (int i = 0; i < PROCESSES_MAX; i++) {
		if (w->processes[i].world)
			process_kill(&w->processes[i]);
	}
	coroutine_free(w->director);
	letter_drop_all();
}

void world_run(struct world *w, uint64_t seed, bool tells)
{
	begin(w, seed, tells);
	database_reset();
	for (int i = 0; i < w->n_processes; i++)
		process_start(w, i, client_main);
	faults_begin(w);
	w->director = schedule_thread(w, NULL, director, w);
	schedule_run(w);
	end(w);
}
