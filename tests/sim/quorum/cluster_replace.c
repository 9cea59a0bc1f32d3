/* SPDX-License-Identifier: MIT */
/* A member is replaced while others work: by whoever is killed meanwhile, or hangs, or is not alone. */
#include <string.h>

#include "api/client.h"
#include "lock/quorum/replace.h"
#include "sim/client.h"
#include "sim/quorum/cluster.h"
#include "sim/schedule.h"

/* When the faults are over it is completed within so long; who has called before, and hears nothing, as a member may
 * look for its tokens for a minute, is killed by then. */
#define COMPLETE_US  INT64_C(20000000)
#define IMPATIENT_US INT64_C(1000000)

enum { OPENS_MAX = 3 };

#define PATIENCE_US 500000

/* ---- who does it ----------------------------------------------------------------------------- */

/* What forgets must be what is replaced, or too many are lost; of five members one more may. */
static void choose_numbers(struct world *w)
{
	struct replacing *r = &w->cluster.replacing;
	int n = w->cluster.n_members, keeper = 0;

	r->numbers[0] = (int)rng_between(&w->rng, 0, n - 1);
	r->numbers[1] = (r->numbers[0] + 1) % n;
	r->both = w->regime != LOSSY && rng_one_in(&w->rng, 4);
	for (int i = 0; i < n; i++) {
		if (!w->servers[i].keeps)
			keeper = i;
		w->servers[i].keeps = true;
	}
	w->servers[r->numbers[0]].keeps = false;
	if (n > 3)
		w->servers[keeper].keeps = false;
}

void cluster_begin_replacing(struct world *w)
{
	choose_numbers(w);
	w->n_names = 1;
	w->cluster.replacing.blind = !rng_one_in(&w->rng, 4);
	w->cluster.replacing.n_processes = rng_one_in(&w->rng, 3) ? 2 : 1;
	w->n_processes += w->cluster.replacing.n_processes;
	w->active_until = rng_between(&w->rng, 800000, 2500000);
}

bool cluster_is_replacer(const struct process *p)
{
	const struct world *w = p->world;

	return p->number >= w->n_processes - w->cluster.replacing.n_processes &&
	       p->number < w->n_processes;
}

/* So it needs the vote of the one that goes, and only some of those that stay tell it, perhaps late. The others are
 * enough for whoever has the newcomer's vote. */
void cluster_blind(struct process *p)
{
	struct world *w = p->world;
	int n = w->cluster.n_members;
	int64_t late;

	if (!w->cluster.replacing.blind || p->number != 0)
		return;
	late = rng_one_in(&w->rng, 2) ? rng_between(&w->rng, 1000, p->ttl_ms * 600) : 0;
	for (int i = 1; i < n; i++) {
		int server = w->cluster.old.at[(w->cluster.replacing.numbers[0] + i) % n];

		if (i <= n - (n / 2 + 1))
			p->ways[server].cut_until = w->active_until;
		p->ways[server].slow_by = late;
		p->ways[server].slow_until = w->active_until;
	}
}

/* ---- once ------------------------------------------------------------------------------------ */

struct call {
	struct process *process;
	struct members as;
	int number;
	struct dblock_client *clients[MEMBERS_MAX];
	struct dbl_locks *locks[MEMBERS_MAX];
};

static int open_one(struct call *c, int i, const struct dblock_client_options *options,
		    struct dblock_error *err)
{
	int rc = DBLOCK_E_NO_ANSWER;

	for (int n = 0; n < OPENS_MAX && rc; n++)
		rc = dbl_client_open(cluster_urls[c->as.at[i]], options, &c->process->env,
				     &c->clients[i], err);
	c->locks[i] = rc ? NULL : c->clients[i]->locks;
	return rc;
}

/* As dblock_quorum_replace() does: others that do not answer may be left out; but not as soon as that, since most
 * would be. */
static int open_all(struct call *c, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct process *p = c->process;
	int rc = 0;

	options.ttl_ms = p->ttl_ms;
	options.timeout_ms = p->timeout_ms;
	for (int i = 0; i < p->world->cluster.n_members && rc == 0; i++) {
		rc = open_one(c, i, &options, err);
		if (rc != DBLOCK_E_INVALID && i != c->number)
			rc = 0;
	}
	return rc;
}

/* That is the worst moment to begin. */
static void until_it_is_needed(struct call *c)
{
	struct world *w = c->process->world;
	int64_t until = w->now + (rng_one_in(&w->rng, 4) ? 0 : PATIENCE_US);

	while (!w->ending && w->now < until && !hold_needs(w, c->number))
		client_sleep(c->process, 5000);
}

/* Who is told by few may have heard nothing from these either. */
static void deafen(struct world *w)
{
	w->processes[0].deaf = w->cluster.replacing.blind && !w->ending && rng_one_in(&w->rng, 2);
}

static int call(struct call *c, struct dblock_error *err)
{
	struct dbl_replace how = {.number = (unsigned)c->number + 1, .allow_forgetful = true};
	struct process *p = c->process;
	int n = p->world->cluster.n_members, rc = open_all(c, err);

	if (rc == 0)
		until_it_is_needed(c);
	deafen(p->world);
	if (rc == 0)
		rc = dbl_quorum_replace(c->locks, (unsigned)n, &how, err);
	for (int i = 0; i < n; i++)
		dblock_close(c->clients[i], NULL);
	if (!p->client && p->memory)
		world_break(p->world, "Q6", "process %d: who replaces leaves memory behind",
			    p->number);
	return rc;
}

/* A server that has forgotten votes is another one; somebody else may replace, or another member. */
static void expect(struct process *p, int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_E_INVALID || rc == DBLOCK_E_CONFLICT ||
	    (rc == DBLOCK_E_FORKED && p->world->regime == LOSSY))
		COUNT(p->world, failed);
	else
		client_expect(p, "replace", rc, err);
}

/* The member of that number is to be that server; the others are those. */
static int replace(struct process *p, const struct members *others, int number, int newcomer)
{
	struct world *w = p->world;
	struct replacing *r = &w->cluster.replacing;
	struct call c = {.process = p, .as = *others, .number = number};
	struct dblock_error err = {0};
	int rc;

	c.as.at[number] = r->begun.at[number] = newcomer;
	r->was_begun[number] = true;
	r->calling |= 1u << p->number;
	COUNT(w, replaces);
	world_tell(w, p, "replace member %d by server %d", number + 1, newcomer + 1);
	rc = call(&c, &err);
	r->calling &= ~(1u << p->number);
	world_tell(w, p, "replace: %s %s", dblock_outcome_name(rc), rc ? err.message : "");
	expect(p, rc, &err);
	if (rc == 0) {
		if (w->ending)
			COUNT(w, completed);
		else
			COUNT(w, replaced);
		w->cluster.now.at[number] = newcomer;
	}
	return rc;
}

/* ---- by chance ------------------------------------------------------------------------------- */

/* A blank one, the one that has been there from the beginning, or, if nobody else wants it, the other blank one. */
static int any_newcomer(struct world *w, int which)
{
	const struct replacing *r = &w->cluster.replacing;
	int n = w->cluster.n_members;

	if (rng_one_in(&w->rng, 4))
		return w->cluster.old.at[r->numbers[which]];
	if (r->both || rng_one_in(&w->rng, 2))
		return n + which;
	return n + (int)rng_between(&w->rng, 0, SPARES - 1);
}

bool cluster_replace(struct process *p)
{
	struct world *w = p->world;
	struct replacing *r = &w->cluster.replacing;
	int which = r->both && rng_one_in(&w->rng, 2);

	return replace(p, &w->cluster.now, r->numbers[which], any_newcomer(w, which)) == 0;
}

static void strike(struct world *w, void *what, uint64_t kills)
{
	struct process *p = what;

	if (w->ending || !p->alive)
		return;
	if (kills) {
		COUNT(w, replacers_killed);
		world_tell(w, p, "is killed while it replaces");
		process_kill(p);
		process_start(w, p->number, w->kind->process);
	} else {
		COUNT(w, replacers_hung);
		p->stopped_until = w->now + rng_between(&w->rng, 100000, 2000000);
		world_tell(w, p, "hangs while it replaces");
	}
}

static bool is_step(const struct letter *l)
{
	return l->op == DBL_OP_quorum_forget || l->op == DBL_OP_quorum_join ||
	       l->op == DBL_OP_quorum_close || l->op == DBL_OP_quorum_tokens ||
	       l->op == DBL_OP_purge_floor || l->op == DBL_OP_quorum_reopen;
}

void cluster_replace_step(struct world *w, const struct letter *l)
{
	if (!is_step(l) || w->cluster.replacing.n_processes == 0 ||
	    !cluster_is_replacer(l->process))
		return;
	world_tell(w, l->process, "  server %d: %s changes %lld", (int)(l->to - w->servers) + 1,
		   dbl_ops[l->op].name, (long long)l->changed);
	if (rng_one_in(&w->rng, 12))
		schedule_event(w, w->now + rng_between(&w->rng, 0, 2000), strike, l->process,
			       rng_one_in(&w->rng, 2));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Nobody may know how far the other number got: one of the two lists is right. */
static bool complete_all(struct process *p, bool as_begun)
{
	struct cluster *c = &p->world->cluster;
	struct members as = c->now;
	bool all = true;

	for (int i = 0; i < c->n_members; i++) {
		if (as_begun && c->replacing.was_begun[i])
			as.at[i] = c->replacing.begun.at[i];
	}
	for (int i = 0; i < c->n_members; i++) {
		if (c->replacing.was_begun[i])
			all = replace(p, &as, i, c->replacing.begun.at[i]) == 0 && all;
	}
	return all;
}

static void kill_who_hears_nothing(struct world *w)
{
	for (int i = 0; i < w->n_processes; i++) {
		if ((w->cluster.replacing.calling & 1u << i) == 0)
			continue;
		world_tell(w, &w->processes[i], "is killed, as it hears nothing");
		process_kill(&w->processes[i]);
	}
}

void cluster_complete(struct process *p)
{
	struct world *w = p->world;
	struct replacing *r = &w->cluster.replacing;

	if (r->n_processes == 0)
		return;
	r->told |= 1u << p->number;
	if (r->late_at == 0)
		r->late_at = w->now + COMPLETE_US;
	for (int i = 0; !r->over && !w->broken; i++) {
		if (w->now > r->late_at)
			world_break(w, "Q5", "a replacement cannot be completed");
		if (!r->completing && w->now > r->late_at - COMPLETE_US + IMPATIENT_US)
			kill_who_hears_nothing(w);
		r->completing = r->completing || r->calling == 0;
		if (r->calling == 0)
			r->over = complete_all(p, i % 2 == 0);
		if (!r->over)
			client_sleep(p, rng_between(&w->rng, 10000, 200000));
	}
}
