/* SPDX-License-Identifier: MIT */
/* What clients are told of who the members are, and how far that gets them. */
#include "sim/quorum/cluster.h"
#include "sim/world.h"

struct members cluster_told(const struct process *p)
{
	struct world *w = p->world;
	const struct replacing *r = &w->cluster.replacing;
	struct members told = w->cluster.now;

	if (r->n_processes == 0 || r->over || cluster_is_replacer(p))
		return told;
	if (rng_one_in(&w->rng, 3))
		return w->cluster.old;
	if (rng_one_in(&w->rng, 2))
		told.at[r->numbers[0]] = r->was_begun[r->numbers[0]] ? r->begun.at[r->numbers[0]]
								     : w->cluster.n_members;
	return told;
}

static int known_to(const struct process *p)
{
	const struct cluster *c = &p->world->cluster;
	int n = 0;

	for (int i = 0; i < c->n_members; i++)
		n += c->known[p->number].at[i] == c->now.at[i];
	return n;
}

bool cluster_knows_enough(const struct process *p)
{
	return known_to(p) > p->world->cluster.n_members / 2;
}

bool cluster_knows_all(const struct process *p)
{
	return known_to(p) == p->world->cluster.n_members;
}

bool cluster_may_refuse(const struct process *p)
{
	const struct world *w = p->world;
	const struct cluster *c = &w->cluster;
	bool forgot = false;

	if (c->replacing.n_processes > 0 &&
	    (!(c->replacing.told & 1u << p->number) || !cluster_knows_enough(p)))
		return true;
	for (int i = 0; i < c->n_members; i++)
		forgot = forgot || c->forgot[c->now.at[i]];
	return w->regime == LOSSY && (c->replacing.n_processes == 0 || forgot);
}
