/* SPDX-License-Identifier: MIT */
/*
 * Deadlocks as cycles in the wait-for graph (Holt, 1972): its nodes are waits of threads that do
 * nothing else meanwhile, its edges lead to the wait of the thread that keeps one from being
 * granted, as sql/<dialect>/queue/cycle.sql has read them in one statement. Pure functions. Inside
 * src/lock.
 *
 * Each edge is necessary: as long as it is there its wait cannot be granted, whatever else happens.
 * So a cycle of them does not come apart by itself.
 */
#ifndef DBL_LOCK_CYCLE_H
#define DBL_LOCK_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include <dblock/error.h>

#define DBL_CYCLE_MAX 64   /* longer cycles are not found */
#define DBL_EDGES_MAX 4096 /* nor those in larger graphs */

/* Why the second cannot be passed by. */
enum dbl_edge_kind {
	DBL_EDGE_ALONE,  /* it has the lock alone */
	DBL_EDGE_ROW,    /* it holds it in a mode that does not go with the one waited for */
	DBL_EDGE_IN_LINE /* it is before it in the queue */
};

struct dbl_edge {
	char name[256]; /* waited for */
	int64_t nonce;  /* of the wait */
	int64_t mode, weight, capacity;
	bool upgrades;
	int64_t since; /* when it joined the queue, us */
	int64_t thread;
	char host[256];
	int64_t pid;
	char app[64];
	int64_t kind;  /* enum dbl_edge_kind */
	int64_t token; /* of the grant; in the queue: its ticket */
	int64_t held_mode, held_weight;
	int64_t to; /* nonce of the wait of who has that */
	/* Scratch of dbl_cycle_find(): */
	unsigned order, before;
	bool reached;
};

struct dbl_edges {
	struct dbl_edge *edge;
	unsigned n, room;
};

/* Edges, each of them followed by the next; the last leads to the first's wait. */
struct dbl_cycle {
	const struct dbl_edge *edge[DBL_CYCLE_MAX];
	unsigned n; /* 0: there is none */
};

/* The shortest cycle in which the wait with this nonce is the youngest: the last that joined its
 * queue. So each cycle has one victim, whoever looks. */
void dbl_cycle_find(struct dbl_edges *, int64_t nonce, struct dbl_cycle *);

/* Tells a cycle from another one: of other waits, or of grants made since. */
uint64_t dbl_cycle_key(const struct dbl_cycle *);

/* DBLOCK_DEADLOCK, and all the way round: who waits for what, held by whom. */
int dbl_cycle_tell(const struct dbl_cycle *, struct dblock_error *err);

#endif
