/* SPDX-License-Identifier: MIT */
#include <dblock/graph.h>

#include "api/client.h"
#include "lock/admin/graph.h"

/* The caller's callback and its argument. */
struct audience {
	dblock_edge_cb *found;
	void *arg;
};

static struct dblock_graph_node party(const struct dbl_stander *s)
{
	return (struct dblock_graph_node){.host = s->host,
					  .pid = s->pid,
					  .thread = s->thread,
					  .app = s->app,
					  .session = s->session};
}

static int tell(void *ctx, const struct dbl_stander *from, const struct dbl_stander *to)
{
	const struct audience *audience = ctx;
	struct dblock_edge edge = {
		.size = sizeof(edge),
		.name = from->name,
		.kind = to->token ? DBLOCK_EDGE_HELD : DBLOCK_EDGE_IN_LINE,
		.from = party(from),
		.to = party(to),
		.wanted = (enum dblock_mode)from->mode,
		.permits = from->weight,
		.upgrade = from->upgrades != 0,
		.blocks = from->blocks,
		.since_us = from->since,
		.held = (enum dblock_mode)to->mode,
		.held_permits = to->weight,
		.lease = to->token && to->by_time,
		.token = to->token,
	};

	return audience->found(audience->arg, &edge);
}

int dblock_graph(struct dblock_client *client, const struct dblock_graph_options *options,
		 dblock_edge_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct audience audience = {found, arg};
	struct dblock_graph_options o;
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_GRAPH_OPTIONS", &heard);
	if (rc == 0)
		rc = dbl_graph(client->locks, o.pattern, tell, &audience, &heard);
	return dbl_tell(err, &heard, rc);
}
