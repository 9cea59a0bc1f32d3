/* SPDX-License-Identifier: MIT */
/* The director ends a world: it lets the faults stop, and checks that everybody gets on and that
 * nothing is left. */
#include <dblock/dblock.h>

#include "api/client.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/modes.h"
#include "sim/schedule.h"
#include "sim/take.h"

static const int64_t second = 1000000;

/* This pause is longer than any session lives: only heartbeats of the living count. */
#define QUIET_US    (5 * second / 2)
#define PATIENCE_US (30 * second)
/* This is a minute, on clocks that go differently fast. */
#define DEAD_FOR_US      (70 * second)
#define LOOK_US          20000
#define PROBE            (PROCESSES_MAX - 1)
#define PROBE_TTL_MS     3600000
#define PROBE_TIMEOUT_MS 5000
/* A waiter has to watch for a ttl (1.5 s, at most), or a lease (2 s), or both, on slow clocks. */
#define PROBE_WAIT_MS 9000

static bool all_idle(const struct world *w)
{
	for (int i = 0; i < w->n_processes; i++) {
		if (w->processes[i].alive && !w->processes[i].idle)
			return false;
	}
	return w->network.on_the_way == 0;
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

/* ---- the probe ------------------------------------------------------------------------------ */

/* The commit of a release was lost, and its client has then closed and deleted its session: the
 * lock names a session that does not exist, and only an operator can free it. */
static bool break_stuck(struct process *p, int name)
{
	struct dblock_error err = {0};

	if (p->world->history.losses == 0)
		return false;
	COUNT(p->world, stuck_by_losses);
	return take_by_force(p, name, &err) == DBLOCK_OK;
}

static void probe_reap(struct process *p)
{
	struct dblock_reap_options o = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_error err = {0};
	int rc;

	o.purge_after_ms = -1;
	rc = dblock_reap(p->client, &o, NULL, &err);
	if (rc)
		world_break(p->world, "C10", "the reaper: %s", err.message);
}

static int probe_acquire(struct process *p, int name, struct dblock_lock **lock,
			 struct dblock_error *err)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	int64_t capacity = p->world->capacity[name];
	int rc;

	o.wait_ms = PROBE_WAIT_MS;
	if (capacity) {
		o.mode = DBLOCK_PERMITS;
		o.permits = o.capacity = capacity;
	}
	rc = dblock_acquire(p->client, client_name(name), &o, lock, err);
	/* The name is in use as another kind, by somebody who is gone: the reaper has to find that
	 * first. */
	if (rc == DBLOCK_E_INVALID && p->world->misuses) {
		probe_reap(p);
		rc = dblock_acquire(p->client, client_name(name), &o, lock, err);
	}
	return rc;
}

static void probe_lock(struct process *p, int name)
{
	int64_t before = p->world->history.names[name].returned;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct belief was;
	uint64_t id;
	int rc;

	rc = probe_acquire(p, name, &lock, &err);
	if (rc == DBLOCK_TIMEOUT && break_stuck(p, name))
		rc = probe_acquire(p, name, &lock, &err);
	if (rc) {
		world_break(p->world, "C10", "%s cannot be had: %s: %s", client_name(name),
			    dblock_outcome_name(rc), err.message);
		return;
	}
	id = history_releasing(history_acquired(p->world, p, name, lock, before));
	rc = dblock_release(lock, &err);
	history_released(p->world, id, &was);
	if (rc)
		world_break(p->world, "C10", "%s cannot be released: %s", client_name(name),
			    err.message);
}

/* The last client: it can get every lock, and when the reaper has run twice, nothing is left. */
static void *probe(void *arg)
{
	struct process *p = arg;
	struct world *w = p->world;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.ttl_ms = PROBE_TTL_MS;
	options.timeout_ms = PROBE_TIMEOUT_MS;
	options.durability = DBLOCK_DURABLE;
	if (dbl_client_open(database_url, &options, &p->env, &p->client, &err)) {
		world_break(w, "C10", "the last client: %s", err.message);
		return NULL;
	}
	for (int i = 0; i < w->n_names; i++)
		probe_lock(p, i);
	if (w->modes)
		modes_rush(p);
	probe_reap(p);
	client_sleep(p, DEAD_FOR_US);
	probe_reap(p);
	check_no_residue(w);
	dblock_close(p->client, NULL);
	p->alive = false;
	return NULL;
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
	check_quiet(w);
	w->closing = true;
	wait_for(w, all_gone, "closing");
	process_start(w, PROBE, probe);
	return NULL;
}
