/* SPDX-License-Identifier: MIT */
/* What lives in the worlds of clusters. */
#include "sim/quorum/cluster.h"

#include "lock/quorum/own.h"
#include "sim/world.h"

/* Members know nothing of each other, nor of each other's clocks. */
static void begin_members(struct world *w)
{
	int64_t apart = rng_one_in(&w->rng, 2) ? INT64_C(86400000000) : 50000;

	cluster_choose(w, rng_one_in(&w->rng, 4) ? 5 : 3);
	for (int i = 0; i < w->n_servers; i++)
		w->servers[i] = (struct server){
			.world = w,
			.database = w->servers[i].database,
			.keeps = true,
			.clock = {.origin = EPOCH_US + rng_between(&w->rng, 0, apart),
				  .ppm = rng_between(&w->rng, -40000, 40000)},
			.network = {.starts = 1},
		};
	/* Only a minority may forget. */
	for (int i = 0; i < w->cluster.n_members / 2; i++)
		w->servers[rng_between(&w->rng, 0, w->cluster.n_members - 1)].keeps = false;
}

static void begin(struct world *w)
{
	begin_members(w);
	w->one_host = !rng_one_in(&w->rng, 3);
	w->n_names = (int)rng_between(&w->rng, 1, 2);
	w->n_processes = (int)rng_between(&w->rng, 2, rng_one_in(&w->rng, 4) ? 4 : 3);
	w->cluster.reaps = rng_one_in(&w->rng, 3);
	w->n_processes += w->cluster.reaps;
	w->active_until = rng_between(&w->rng, 500000, 2500000);
	if (w->n_servers > w->cluster.n_members)
		cluster_begin_replacing(w);
}

static int any_op(struct world *w)
{
	static const int ops[] = {DBL_OP_quorum_vote,  DBL_OP_quorum_raise, DBL_OP_quorum_raise,
				  DBL_OP_release,      DBL_OP_extend,       DBL_OP_heartbeat,
				  DBL_OP_session_open, DBL_OP_give_back,    DBL_OP_bury,
				  DBL_OP_enqueue,      DBL_OP_hand_over};

	static const int late[] = {DBL_OP_quorum_read,   DBL_OP_quorum_forget, DBL_OP_quorum_join,
				   DBL_OP_quorum_close,  DBL_OP_quorum_tokens, DBL_OP_purge_floor,
				   DBL_OP_quorum_reopen, DBL_OP_quorum_read};

	if (w->cluster.replacing.blind && rng_one_in(&w->rng, 2))
		return DBL_OP_quorum_read;
	if (w->cluster.replacing.n_processes > 0 && rng_one_in(&w->rng, 2))
		return late[rng_between(&w->rng, 0, sizeof(late) / sizeof(late[0]) - 1)];
	return ops[rng_between(&w->rng, 0, sizeof(ops) / sizeof(ops[0]) - 1)];
}

static void before(struct world *w, const struct letter *l)
{
	(void)w;
	(void)l;
}

static const struct count counts[] = {
#define X(name, floor) {COUNT_##name, #name, floor},
	CLUSTER_COUNTS(X)
#undef X
		{.name = NULL},
};

const struct kind cluster_worlds = {
	.prefix = DBL_QUORUM_PREFIX,
	.clock = "",
	.setup = cluster_setup,
	.begin = begin,
	.process = cluster_client,
	.quiet = cluster_quiet,
	.probe = cluster_probe,
	.any_op = any_op,
	.check = cluster_check,
	.before = before,
	.carried_out = cluster_carried_out,
	.lost_commits = cluster_lost_commits,
	.forget = hold_forget,
	.counts = counts,
};
