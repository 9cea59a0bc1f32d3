/* SPDX-License-Identifier: MIT */
/* The director ends a world: it lets the faults stop, and checks that everybody gets on and that
 * nothing is left. */
#include "sim/schedule.h"

static const int64_t second = 1000000;

/* This pause is longer than any session lives: only heartbeats of the living count. */
#define QUIET_US    (5 * second / 2)
#define PATIENCE_US (30 * second)
#define LOOK_US     20000
#define PROBE       (PROCESSES_MAX - 1)

static bool all_idle(const struct world *w)
{
	for (int i = 0; i < w->n_processes; i++) {
		if (w->processes[i].alive && !w->processes[i].idle)
			return false;
	}
	return w->on_the_way == 0;
}

static bool all_gone(const struct world *w)
{
	for (int i = 0; i < PROCESSES_MAX; i++) {
		if (w->processes[i].alive)
			return false;
	}
	return true;
}

static void wait_for(struct world *w, bool (*what)(const struct world *), const char *name)
{
	int64_t until = w->now + PATIENCE_US;

	while (!what(w) && w->now < until)
		schedule_wait(NULL, w->now + LOOK_US);
	if (!what(w))
		world_break(w, "C10", "%s: not within %lld s", name,
			    (long long)(PATIENCE_US / second));
}

/* ---- the end -------------------------------------------------------------------------------- */

void *director(void *arg)
{
	struct world *w = arg;

	schedule_wait(NULL, w->active_until);
	w->ending = true;
	faults_end(w);
	world_tell(w, NULL, "the faults end");
	wait_for(w, all_idle, "giving everything back");
	schedule_wait(NULL, w->now + QUIET_US);
	w->kind->quiet(w);
	w->closing = true;
	wait_for(w, all_gone, "closing");
	process_start(w, PROBE, w->kind->probe);
	return NULL;
}
