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

const char *const cluster_urls[MEMBERS_MAX] = {"member://m/1", "member://m/2", "member://m/3",
					       "member://m/4", "member://m/5"};

static void *make(void *arg)
{
	struct process *p = arg;
	struct world *w = p->world;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *clients[MEMBERS_MAX] = {NULL};
	struct dbl_locks *locks[MEMBERS_MAX];
	struct dblock_error err = {0};
	int rc = 0;

	options.auto_migrate = 1;
	for (int i = 0; i < w->n_servers && rc == 0; i++) {
		rc = dbl_client_open(cluster_urls[i], &options, &p->env, &clients[i], &err);
		if (rc == 0)
			locks[i] = clients[i]->locks;
	}
	if (rc == 0)
		rc = dbl_quorum_init(locks, (unsigned)w->n_servers, "sim", MAX_TTL_US, true, &err);
	if (rc)
		world_break(w, "SIM", "the cluster: %s", err.message);
	for (int i = 0; i < w->n_servers; i++)
		dblock_close(clients[i], NULL);
	return NULL;
}

void cluster_setup(struct world *w)
{
	for (int n = 3; n <= MEMBERS_MAX; n += 2)
		setup_databases(w, &cluster_worlds, n, n == 3 ? 1 : 4, make);
}
