/* SPDX-License-Identifier: MIT */
/*
 * Deadlocks as cycles in the wait-for graph (Holt, 1972). Its nodes are waits of threads that do
 * nothing else meanwhile. An edge leads from a wait to that of the thread that keeps it from being
 * granted; sql/<dialect>/queue/cycle.sql reads all edges in one statement. Pure functions.
 *
 * Each edge is necessary: as long as it is there its wait cannot be granted, whatever else happens.
 * So a cycle of them does not come apart by itself.
 *
 * But a wait for any one of several names can be granted as long as there is one of them without an edge.
 * So before a cycle is looked for, edges to waits that will be granted are taken away, until all that are
 * left lead to waits that will not (the reduction of general resource graphs: Holt, 1972, section 5).
 */
#ifndef DBL_LOCK_CYCLE_H
#define DBL_LOCK_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include <dblock/error.h>

#define DBL_CYCLE_MAX 64   /* longer cycles are not found */
#define DBL_EDGES_MAX 4096 /* cycles in larger graphs are not found */

/* How the second wait's thread keeps the first wait from being granted. */
enum dbl_edge_kind {
	DBL_EDGE_ALONE,   /* it holds the lock exclusive */
	DBL_EDGE_ROW,     /* a row of the queue holds the lock for it, in a mode that conflicts */
	DBL_EDGE_IN_QUEUE /* it is before the first in the queue */
};

struct dbl_edge {
	char name[256]; /* the lock that is waited for */
	int64_t nonce;  /* of the wait */
	int64_t mode, weight, capacity;
	bool upgrades;
	int64_t since; /* when the wait joined the queue, us */
	int64_t thread;
	char host[256];
	int64_t pid;
	char app[64];
	int64_t kind;  /* enum dbl_edge_kind */
	int64_t token; /* of the grant; DBL_EDGE_IN_QUEUE: the ticket */
	int64_t held_mode, held_weight;
	int64_t to; /* nonce of the wait of the thread that has that grant or ticket */
	int64_t names; /* the wait's; below 0: it waits for any one of so many, and has edges for each */
	/* dbl_cycle_find() works with these: */
	unsigned order, before;
	bool reached, gone;
};

struct dbl_edges {
	struct dbl_edge *edge;
	unsigned n, room;
};

/* The edges of a cycle in order; the last leads to the wait of the first. */
struct dbl_cycle {
	const struct dbl_edge *edge[DBL_CYCLE_MAX];
	unsigned n; /* 0: there is no cycle */
};

/* Finds the shortest cycle in which the wait with this nonce is the youngest, that is, joined its
 * queue last. So each cycle has one victim, whoever looks. */
void dbl_cycle_find(struct dbl_edges *, int64_t nonce, struct dbl_cycle *);

/* The key differs if the waits of a cycle, or the grants that they wait for, differ. It is not
 * 0. */
uint64_t dbl_cycle_key(const struct dbl_cycle *);

/* Returns DBLOCK_DEADLOCK; err says for each edge who waits for what, and who holds that. */
int dbl_cycle_tell(const struct dbl_cycle *, struct dblock_error *err);

#endif
