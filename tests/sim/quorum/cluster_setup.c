/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "lock/quorum/init.h"
#include "sim/quorum/cluster.h"
#include "sim/schedule.h"
#include "sim/setup.h"

/* No longer than what clients ask for: who is not looked at counts no more. */
#define MAX_TTL_US 2000000

/* The first database of the clusters that have blank ones beside them. */
enum { WITH_SPARES = 1 + 3 + MEMBERS_MAX };

/* Whoever replaces a member waits for so long; so clients of such a cluster ask for less. */
#define SHORT_MAX_TTL_US 600000

const char *const cluster_urls[SERVERS_MAX] = {"member://m/1", "member://m/2", "member://m/3",
					       "member://m/4", "member://m/5", "member://m/6",
					       "member://m/7"};

void cluster_urls_of(const struct world *w, const struct members *members,
		     const char *urls[MEMBERS_MAX])
{
	for (int i = 0; i < w->cluster.n_members; i++)
		urls[i] = cluster_urls[members->at[i]];
}

/* Those in which members are replaced have databases of their own. */
static bool replaces(const struct world *w)
{
	return w->seed / 4 % 5 == 3;
}

static int first_database(int n_members, int spares)
{
	int first = spares ? WITH_SPARES : 1;

	return n_members == 3 ? first : first + 3 + spares;
}

void cluster_choose(struct world *w, int n_members)
{
	int spares = replaces(w) ? SPARES : 0, first = first_database(n_members, spares);

	w->n_servers = n_members + spares;
	w->cluster.n_members = n_members;
	w->cluster.max_ttl_ms = (spares ? SHORT_MAX_TTL_US : MAX_TTL_US) / 1000;
	for (int i = 0; i < w->n_servers; i++)
		w->servers[i].database = first + i;
	for (int i = 0; i < n_members; i++)
		w->cluster.old.at[i] = w->cluster.now.at[i] = i;
}

static void *make(void *arg)
{
	struct process *p = arg;
	struct world *w = p->world;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *clients[SERVERS_MAX] = {NULL};
	struct dbl_locks *locks[SERVERS_MAX];
	struct dblock_error err = {0};
	bool with_spares = w->servers[0].database >= WITH_SPARES;
	int n_members = w->n_servers - (with_spares ? SPARES : 0);
	int rc = 0;

	options.auto_migrate = 1;
	for (int i = 0; i < w->n_servers && rc == 0; i++) {
		rc = dbl_client_open(cluster_urls[i], &options, &p->env, &clients[i], &err);
		if (rc == 0)
			locks[i] = clients[i]->locks;
	}
	if (rc == 0)
		rc = dbl_quorum_init(locks, (unsigned)n_members, "sim",
				     with_spares ? SHORT_MAX_TTL_US : MAX_TTL_US, true, &err);
	if (rc)
		world_break(w, "SIM", "the cluster: %s", err.message);
	for (int i = 0; i < w->n_servers; i++)
		dblock_close(clients[i], NULL);
	return NULL;
}

void cluster_setup(struct world *w)
{
	for (int n = 3; n <= MEMBERS_MAX; n += 2) {
		for (int spares = 0; spares <= SPARES; spares += SPARES)
			setup_databases(w, &cluster_worlds, n + spares, first_database(n, spares),
					make);
	}
}
