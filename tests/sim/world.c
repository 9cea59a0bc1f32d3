/* SPDX-License-Identifier: MIT */
#include "sim/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static enum regime regime_of(uint64_t seed)
{
	static const enum regime by_turns[] = {STEADY, CLOCKS, STEADY, LOSSY};

	return by_turns[seed % 4];
}

static void begin(struct world *w, const struct kind *kind, uint64_t seed, bool tells)
{
	struct queue queue = w->queue;

	queue_clear(&queue);
	memset(w, 0, sizeof(*w));
	w->queue = queue;
	w->kind = kind;
	w->seed = seed;
	w->tells = tells;
	w->rng.state = seed * 0x2545f4914f6cdd1du;
	w->regime = regime_of(seed);
	kind->begin(w);
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

void world_run(struct world *w, const struct kind *kind, uint64_t seed, bool tells)
{
	begin(w, kind, seed, tells);
	for (int i = 0; i < w->n_servers; i++)
		database_reset(&w->servers[i]);
	for (int i = 0; i < w->n_processes; i++)
		process_start(w, i, kind->process);
	faults_begin(w);
	w->director = schedule_thread(w, NULL, director, w);
	schedule_run(w);
	end(w);
}
