/* SPDX-License-Identifier: MIT */
#include "lock/wait/cycle.h"

#include <stdio.h>
#include <string.h>

#include <dblock/lock.h>

#include "base/assert.h"
#include "base/err.h"

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_younger(const struct dbl_edge *a, const struct dbl_edge *b)
{
	return a->since != b->since ? a->since > b->since : a->nonce > b->nonce;
}

/* The wait cannot be granted as long as the edges that have not gone are there: one is enough, or, if it is
 * for any one of several names, one for each of them. Edges come in order of names. */
static bool is_stuck(const struct dbl_edges *edges, int64_t nonce)
{
	const char *last = "";
	int64_t names = 0;

	for (unsigned i = 0; i < edges->n; i++) {
		const struct dbl_edge *e = &edges->edge[i];

		if (e->nonce != nonce || e->gone)
			continue;
		if (e->names >= 0)
			return true;
		names += strcmp(e->name, last) != 0;
		last = e->name;
		if (names == -e->names)
			return true;
	}
	return false;
}

static bool are_all_necessary(const struct dbl_edges *edges)
{
	for (unsigned i = 0; i < edges->n; i++) {
		if (edges->edge[i].names < 0)
			return false;
	}
	return true;
}

/* Takes away the edges from and to waits that will be granted. */
static void reduce(struct dbl_edges *edges)
{
	bool changed = !are_all_necessary(edges);

	for (unsigned i = 0; i < edges->n; i++)
		edges->edge[i].gone = false;
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < edges->n; i++) {
			struct dbl_edge *e = &edges->edge[i];

			if (e->gone || (is_stuck(edges, e->to) && is_stuck(edges, e->nonce)))
				continue;
			e->gone = changed = true;
		}
	}
}

/* Adds all edges that leave the wait with this nonce to those reached, unless they have been
 * reached before, or the wait is younger than `mine`. */
static void leave(struct dbl_edges *edges, int64_t nonce, const struct dbl_edge *mine,
		  unsigned before, unsigned *end)
{
	for (unsigned i = 0; i < edges->n; i++) {
		struct dbl_edge *e = &edges->edge[i];

		if (e->nonce != nonce || e->gone || e->reached || is_younger(e, mine))
			continue;
		DBL_ASSERT(*end < edges->n && before < edges->n, "%u, %u of %u", *end, before,
			   edges->n);
		e->reached = true;
		e->before = before;
		edges->edge[(*end)++].order = i;
	}
}

static const struct dbl_edge *first_of(const struct dbl_edges *edges, int64_t nonce)
{
	for (unsigned i = 0; i < edges->n; i++) {
		if (edges->edge[i].nonce == nonce)
			return &edges->edge[i];
	}
	return NULL;
}

/* Collects the cycle backwards from `last`, the edge that closes it. */
static void close_cycle(const struct dbl_edges *edges, unsigned last, struct dbl_cycle *cycle)
{
	unsigned n = 1;

	for (unsigned i = last; edges->edge[i].before != i; i = edges->edge[i].before)
		n++;
	if (n > DBL_CYCLE_MAX)
		return;
	cycle->n = n;
	for (unsigned i = last; n > 0; i = edges->edge[i].before)
		cycle->edge[--n] = &edges->edge[i];
}

/* The search goes breadth first; `order` lists the edges as they were reached. */
void dbl_cycle_find(struct dbl_edges *edges, int64_t nonce, struct dbl_cycle *cycle)
{
	const struct dbl_edge *mine = first_of(edges, nonce);
	unsigned end = 0;

	cycle->n = 0;
	if (!mine)
		return;
	reduce(edges);
	for (unsigned i = 0; i < edges->n; i++)
		edges->edge[i].reached = false;
	leave(edges, nonce, mine, 0, &end);
	for (unsigned i = 0; i < end; i++)
		edges->edge[edges->edge[i].order].before = edges->edge[i].order;
	for (unsigned i = 0; i < end; i++) {
		unsigned at = edges->edge[i].order;

		if (edges->edge[at].to == nonce) {
			close_cycle(edges, at, cycle);
			return;
		}
		leave(edges, edges->edge[at].to, mine, at, &end);
	}
}

static uint64_t mix(uint64_t key, uint64_t word)
{
	for (int i = 0; i < 64; i += 8)
		key = (key ^ (word >> i & 0xff)) * 0x100000001b3ULL;
	return key;
}

/* The key is the FNV-1a hash of all edges. */
uint64_t dbl_cycle_key(const struct dbl_cycle *cycle)
{
	uint64_t key = 0xcbf29ce484222325ULL;

	for (unsigned i = 0; i < cycle->n; i++) {
		key = mix(key, (uint64_t)cycle->edge[i]->nonce);
		key = mix(key, (uint64_t)cycle->edge[i]->kind);
		key = mix(key, (uint64_t)cycle->edge[i]->token);
	}
	return key ? key : 1;
}

/* ---- telling --------------------------------------------------------------------------------- */

static const char *mode_text(int64_t mode, int64_t weight, int64_t capacity, char text[64])
{
	static const char *const names[] = {"exclusive", "shared", "update"};

	if (mode >= DBLOCK_EXCLUSIVE && mode <= DBLOCK_UPDATE)
		return names[mode];
	snprintf(text, 64, "%lld of %lld permits", (long long)weight, (long long)capacity);
	return text;
}

static void tell_who(const struct dbl_edge *e, struct dblock_error *err)
{
	dbl_err_suffix(err, " host %s, pid %lld, thread %lld%s%s%s", e->host, (long long)e->pid,
		       (long long)e->thread, e->app[0] ? " (" : "", e->app, e->app[0] ? ")" : "");
}

static void tell_edge(const struct dbl_edge *e, const struct dbl_edge *next,
		      struct dblock_error *err)
{
	char wanted[64], held[64];

	dbl_err_suffix(err, " waits for '%s' (%s%s), ", e->name,
		       e->upgrades ? "an upgrade to " : "",
		       mode_text(e->mode, e->weight, e->capacity, wanted));
	if (e->kind == DBL_EDGE_IN_QUEUE)
		dbl_err_suffix(err, "in line behind (%s)",
			       mode_text(e->held_mode, e->held_weight, e->capacity, held));
	else
		dbl_err_suffix(err, "held (%s, token %lld) by",
			       mode_text(e->held_mode, e->held_weight, e->capacity, held),
			       (long long)e->token);
	tell_who(next, err);
}

int dbl_cycle_tell(const struct dbl_cycle *cycle, struct dblock_error *err)
{
	DBL_ASSERT(cycle->n > 0 && cycle->edge[cycle->n - 1]->to == cycle->edge[0]->nonce);
	dbl_fail(err, DBLOCK_DEADLOCK,
		 "deadlock; '%s' is not waited for any longer, as this call was the last to come: "
		 "release what is held, and begin anew:",
		 cycle->edge[0]->name);
	tell_who(cycle->edge[0], err);
	for (unsigned i = 0; i < cycle->n; i++) {
		if (i > 0)
			dbl_err_suffix(err, ", which");
		tell_edge(cycle->edge[i], cycle->edge[(i + 1) % cycle->n], err);
	}
	return DBLOCK_DEADLOCK;
}
