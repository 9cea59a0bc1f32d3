/* SPDX-License-Identifier: MIT */
/* The last client of a cluster: it can get every lock, and when the reaper has run twice at each member, nothing
 * is left. */
#include <dblock/dblock.h>

#include "api/client.h"
#include "api/quorum.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/quorum/cluster.h"

#define PROBE_TTL_MS     1500
#define PROBE_TIMEOUT_MS 5000
/* It is not worth while to see its heartbeats. */
#define REAPER_TTL_MS 3600000
/* This is a minute, on clocks that go differently fast. */
#define DEAD_FOR_US INT64_C(70000000)

static void acquire_all(struct process *p, const struct dblock_client_options *options)
{
	struct world *w = p->world;
	struct dblock_error err = {0};
	const char *urls[MEMBERS_MAX];
	int rc;

	cluster_complete(p);
	w->cluster.known[p->number] = w->cluster.now;
	cluster_urls_of(w, &w->cluster.now, urls);
	rc = dbl_client_quorum_open(urls, (size_t)w->cluster.n_members, options, &p->env,
				    &p->client, &err);
	if (rc == 0) {
		cluster_rush(p);
		dblock_close(p->client, NULL);
		p->client = NULL;
	} else if (!cluster_may_refuse(p) || rc != DBLOCK_E_INVALID) {
		world_break(w, "Q5", "the last client: %s", err.message);
	}
}

static void reap(struct process *p, struct dblock_client *client)
{
	struct dblock_reap_options o = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_error err = {0};

	o.purge_after_ms = -1;
	if (dblock_reap(client, &o, NULL, &err))
		world_break(p->world, "Q6", "the reaper: %s", err.message);
}

void *cluster_probe(void *arg)
{
	struct process *p = arg;
	struct world *w = p->world;
	struct dblock_client *clients[SERVERS_MAX] = {NULL};
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.ttl_ms =
		w->cluster.max_ttl_ms < PROBE_TTL_MS ? w->cluster.max_ttl_ms : PROBE_TTL_MS;
	options.timeout_ms = PROBE_TIMEOUT_MS;
	acquire_all(p, &options);
	options.ttl_ms = REAPER_TTL_MS;
	for (int i = 0; i < w->n_servers && !w->broken; i++) {
		if (dbl_client_open(cluster_urls[i], &options, &p->env, &clients[i], &err))
			world_break(w, "Q6", "the last client of member %d: %s", i + 1,
				    err.message);
		else
			reap(p, clients[i]);
	}
	client_sleep(p, DEAD_FOR_US);
	for (int i = 0; i < w->n_servers && !w->broken; i++) {
		reap(p, clients[i]);
		/* What was released there may be held again, by a session that is gone. */
		if (!w->cluster.forgot[i])
			check_no_residue(&w->servers[i]);
	}
	for (int i = 0; i < w->n_servers; i++)
		dblock_close(clients[i], NULL);
	p->alive = false;
	return NULL;
}
