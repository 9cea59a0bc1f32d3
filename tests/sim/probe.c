/* SPDX-License-Identifier: MIT */
#include "sim/probe.h"

#include <dblock/dblock.h>

#include "api/client.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/modes.h"
#include "sim/take.h"

/* This is a minute, on clocks that go differently fast. */
#define DEAD_FOR_US      INT64_C(70000000)
#define PROBE_TTL_MS     3600000
#define PROBE_TIMEOUT_MS 5000
/* A waiter has to watch for a ttl (1.5 s, at most), or a lease (2 s), or both, on slow clocks. */
#define PROBE_WAIT_MS 9000

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

/* It may be closed, or in use as another kind by somebody who is gone. */
static int64_t probe_resize(struct process *p, int name, int64_t capacity, struct dblock_error *err)
{
	int rc = dblock_pool_resize(p->client, client_name(name), capacity, err);

	if (rc == DBLOCK_E_INVALID && p->world->misuses) {
		probe_reap(p);
		rc = dblock_pool_resize(p->client, client_name(name), capacity, err);
	}
	if (rc)
		world_break(p->world, "C10", "%s cannot be resized: %s: %s", client_name(name),
			    dblock_outcome_name(rc), err->message);
	return DBLOCK_CAPACITY_STORED;
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
	if (capacity && p->world->resizes)
		o.capacity = probe_resize(p, name, capacity, err);
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

void *probe(void *arg)
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
	check_no_residue(w->servers);
	dblock_close(p->client, NULL);
	p->alive = false;
	return NULL;
}
