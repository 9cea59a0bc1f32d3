/* SPDX-License-Identifier: MIT */
#include "sim/setup.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "sim/schedule.h"

static void *migrate(void *arg)
{
	struct process *p = arg;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.auto_migrate = 1;
	options.durability = DBLOCK_DURABLE;
	if (dbl_client_open(database_url, &options, &p->env, &p->client, &err))
		world_break(p->world, "SIM", "the tables: %s", err.message);
	else
		dblock_close(p->client, NULL);
	return NULL;
}

void setup_databases(struct world *w, const struct kind *kind, int n, int first,
		     void *(*make)(void *process))
{
	free(w->queue.heap); /* of databases that were made before */
	memset(w, 0, sizeof(*w));
	w->kind = kind;
	/* Each world takes and gives back the same few MB, which need not go to the system. */
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	w->n_servers = n;
	for (int i = 0; i < n; i++) {
		w->servers[i] = (struct server){
			.world = w, .database = first + i, .network = {.starts = 1}};
		database_create(&w->servers[i]);
	}
	process_start(w, 0, make);
	schedule_run(w);
	if (w->broken) {
		fprintf(stderr, "sim: %s\n", w->why);
		exit(1);
	}
	process_kill(&w->processes[0]);
	letter_drop_all();
	for (int i = 0; i < n; i++)
		database_keep(&w->servers[i]);
}

void setup(struct world *w)
{
	setup_databases(w, &single_worlds, 1, 0, migrate);
}
