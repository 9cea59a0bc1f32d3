/* SPDX-License-Identifier: MIT */
/* A process that has a client of a cluster; or that reaps at its members. */
#include "sim/client.h"

#include "api/client.h"
#include "api/quorum.h"
#include "sim/quorum/cluster.h"
#include "sim/schedule.h"

/* Who was a newcomer when it was asked, and no member yet, is asked again after so long. */
#define FORGOTTEN_US INT64_C(1500000)

static int open_client(struct process *p)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct world *w = p->world;
	struct dblock_error err = {0};
	const char *urls[MEMBERS_MAX];
	int rc;

	w->cluster.known[p->number] = cluster_told(p);
	cluster_urls_of(w, &w->cluster.known[p->number], urls);
	options.ttl_ms = p->ttl_ms;
	options.timeout_ms = p->timeout_ms;
	COUNT(w, opens);
	rc = dbl_client_quorum_open(urls, (size_t)w->cluster.n_members, &options, &p->env,
				    &p->client, &err);
	world_tell(w, p, "open: %s %s", dblock_outcome_name(rc), rc ? err.message : "");
	if (rc == DBLOCK_E_INVALID && cluster_may_refuse(p))
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

/* Nobody votes for longer than that without being asked. */
static void ask_for_no_more(struct process *p)
{
	int64_t most = p->world->cluster.max_ttl_ms;

	if (p->ttl_ms > most)
		p->ttl_ms = DBLOCK_TTL_MIN_MS + p->ttl_ms % (most - DBLOCK_TTL_MIN_MS);
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

static void *replacer(struct process *p)
{
	struct world *w = p->world;

	p->calm = !rng_one_in(&w->rng, 3);
	while (!w->ending) {
		bool replaced = cluster_replace(p);

		if (replaced && open_client(p) == 0) {
			cluster_try_out(p);
			close_client(p);
		}
		client_sleep(p, rng_between(&w->rng, 10000, replaced ? 1000000 : 100000));
	}
	cluster_complete(p);
	rest(p);
	p->alive = false;
	return NULL;
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
	ask_for_no_more(p);
	cluster_blind(p);
	if (cluster_is_replacer(p))
		return replacer(p);
	if (w->cluster.reaps && p->number == w->n_processes - w->cluster.replacing.n_processes - 1)
		return reaper(p);
	while (!w->closing) {
		if (w->ending)
			cluster_complete(p);
		if (open_client(p)) {
			/* Once a member has forgotten its votes no client opens. */
			p->idle = w->ending && cluster_may_refuse(p);
			client_sleep(p, rng_between(&w->rng, 10000, p->idle ? 900000 : 200000));
			continue;
		}
		p->idle = false;
		work(p);
		if (w->ending)
			cluster_complete(p);
		if (w->ending && cluster_knows_enough(p)) {
			if (!cluster_knows_all(p))
				client_sleep(p, FORGOTTEN_US);
			cluster_rush(p);
			rest(p);
		}
		close_client(p);
	}
	p->alive = false;
	return NULL;
}
