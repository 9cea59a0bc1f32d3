/* SPDX-License-Identifier: MIT */
/*
 * Worlds whose clients hold locks on a majority of three or five databases. The invariants, by the names that a
 * message has:
 *
 *   Q1   no two handles on one name are valid at one time
 *   Q2   tokens of successive holds of a name grow; so do those that a member gives
 *   Q3   a handle that was seen not valid, or told to be lost, is not valid again; who has no majority any more
 *        is told so
 *   Q4   a release says LOST only of a lock that was lost, and OK only of one that was not; a lease that is held
 *        can be released and extended by its token
 *   Q5   when the faults are over, whoever waits for a name gets it
 *   Q6   nothing is left behind at any member: no vote, no place in a line, no session; nor memory
 */
#ifndef TESTS_SIM_CLUSTER_H
#define TESTS_SIM_CLUSTER_H

#include <dblock/lock.h>

#include "sim/history.h"

enum { HOLDS_MAX = 64, MEMBERS_MAX = 5 };

struct server;

/* A lock, as its holder has it, from its acquire to its release. */
struct hold {
	struct dblock_lock *lock;
	struct process *process;
	uint64_t id;
	int name, depth, releasing;
	int64_t token;
	bool lease;
	bool moved; /* somebody releases or extends it by its token: its end is not the holder's */
	bool told;  /* it is lost, */
	bool told_before;    /* perhaps by somebody who had begun before it was had; or */
	bool seen_over;      /* its holder has seen that */
	int64_t valid_until; /* as its release began, by the clock of its process */
	int64_t promised;  /* the latest time until which it was said to be valid, by that clock */
	int64_t over_from; /* so long its process has had no majority, and has run; 0: it has one */
};

struct cluster {
	struct hold holds[HOLDS_MAX];
	int n_holds;
	struct {
		int64_t returned; /* the largest token that an acquire has returned, */
		int64_t lease;    /* and the last one of a lease */
	} names[NAMES_MAX];
	int64_t tokens[MEMBERS_MAX][NAMES_MAX]; /* the last one that a member has given */
	bool forgot[MEMBERS_MAX];               /* it has lost commits, and votes no more */
	bool reaps;                             /* the last process reaps at the members */
};

extern const struct kind cluster_worlds;

/* "member://", which only these worlds have, leads to the servers of the world by their number (dialect.c). */
extern const char *const cluster_urls[MEMBERS_MAX];

/* Makes the databases of a cluster of three, and of one of five. */
void cluster_setup(struct world *);

/* The main thread of a process, and of the last one. */
void *cluster_client(void *process);
void *cluster_probe(void *process);

/* Lets one thread work until there is no more to do; then it holds nothing. */
void cluster_work(struct process *);

/* The faults are over: everybody wants everything once more, and has to get it. */
void cluster_rush(struct process *);

/* ---- holds.c: what the clients have ---- */

/* An acquire has returned; `before` is what `returned` was at its start. */
struct hold *hold_acquired(struct process *, int name, struct dblock_lock *, int64_t before);

/* A release begins, and has returned rc. */
uint64_t hold_releasing(struct process *, struct dblock_lock *);
void hold_released(struct process *, uint64_t id, int rc);

struct hold *hold_of(struct world *, const struct dblock_lock *);
struct hold *hold_by_id(struct world *, uint64_t id);
struct hold *hold_by_token(struct world *, int name, int64_t token);

/* The product's own word, which it would also give its holder. */
bool hold_is_valid(const struct hold *);

/* Its holder looks how long it has it. */
void hold_look(struct hold *);

/* The callback `lost`, whose argument is the world. */
void hold_told(void *world, struct dblock_lock *);

void hold_forget(struct process *);

/* ---- cluster_check.c ---- */

void cluster_check(struct world *);
void cluster_carried_out(struct world *, const struct letter *);
void cluster_lost_commits(struct world *, struct server *);
void cluster_quiet(struct world *);

#endif
