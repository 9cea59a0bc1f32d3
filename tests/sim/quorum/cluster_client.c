/* SPDX-License-Identifier: MIT */
/* A process that has a client of a cluster; or that reaps at its members. */
#include "sim/client.h"

#include "api/client.h"
#include "api/quorum.h"
#include "sim/quorum/cluster.h"
#include "sim/schedule.h"

static int open_client(struct process *p)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct world *w = p->world;
	struct dblock_error err = {0};
	int rc;

	options.ttl_ms = p->ttl_ms;
	options.timeout_ms = p->timeout_ms;
	COUNT(w, opens);
	rc = dbl_client_quorum_open(cluster_urls, (size_t)w->n_servers, &options, &p->env,
				    &p->client, &err);
	world_tell(w, p, "open: %s %s", dblock_outcome_name(rc), rc ? err.message : "");
	if (rc == DBLOCK_E_INVALID && w->regime == LOSSY)
		COUNT(w, invalid);
	else
		client_expect(p, "open", rc, &err);
	return rc;
}

static void close_client(struct process *p)
{
	int rc = dblock_close(p->client, NULL);

	p->client = NULL;
	world_tell(p->world, p, "close: %s", dblock_outcome_name(rc));
	if (p->memory)
		world_break(p->world, "Q6", "process %d: a closed client leaves memory behind",
			    p->number);
}

static void *helper(void *arg)
{
	struct process *p = arg;

	cluster_work(p);
	p->helpers--;
	schedule_wake(p, &p->helpers);
	return NULL;
}

/* Starts all threads, and waits until all are done. */
static void work(struct process *p)
{
	p->helpers = p->threads_asked;
	for (int i = 0; i < p->threads_asked; i++)
		schedule_thread(p->world, p, helper, p);
	cluster_work(p);
	while (p->helpers > 0)
		schedule_wait(&p->helpers, SCHEDULE_NEVER);
}

static void rest(struct process *p)
{
	p->idle = true;
	while (p->world->ending && !p->world->closing)
		client_sleep(p, 200000);
	p->idle = false;
}

static int is_ending(void *world)
{
	return ((struct world *)world)->ending;
}

static void reap(struct process *p)
{
	struct world *w = p->world;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_reap_options o = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_error err = {0};
	int member = (int)rng_between(&w->rng, 0, w->n_servers - 1);

	options.ttl_ms = p->ttl_ms;
	options.timeout_ms = p->timeout_ms;
	o.canceled = is_ending;
	o.canceled_arg = w;
	o.purge_after_ms = rng_one_in(&w->rng, 4) ? -1 : rng_between(&w->rng, 1, 300);
	if (dbl_client_open(cluster_urls[member], &options, &p->env, &p->client, &err))
		return;
	client_expect(p, "reap", dblock_reap(p->client, &o, NULL, &err), &err);
	COUNT(w, reaps);
	dblock_close(p->client, NULL);
	p->client = NULL;
}

static void *reaper(struct process *p)
{
	while (!p->world->closing) {
		if (p->world->ending)
			rest(p);
		else
			reap(p);
		client_sleep(p, rng_between(&p->world->rng, 10000, 300000));
	}
	p->alive = false;
	return NULL;
}

void *cluster_client(void *arg)
{
	struct process *p = arg;
	struct world *w = p->world;

	client_sleep(p, rng_between(&w->rng, 0, 200000));
	if (w->cluster.reaps && p->number == w->n_processes - 1)
		return reaper(p);
	while (!w->closing) {
		if (open_client(p)) {
			/* Once a member has forgotten its votes no client opens. */
			p->idle = w->ending && w->regime == LOSSY;
			client_sleep(p, rng_between(&w->rng, 10000, p->idle ? 900000 : 200000));
			continue;
		}
		p->idle = false;
		work(p);
		if (w->ending)
			cluster_rush(p);
		rest(p);
		close_client(p);
	}
	p->alive = false;
	return NULL;
}
