/* SPDX-License-Identifier: MIT */
/*
 * Worlds whose clients hold locks on a majority of three or five databases; in one of five a member is
 * replaced meanwhile, by a blank database or by itself, and whoever does that may be killed, hang, and not be the
 * only one. The invariants, by the names that a message has:
 *
 *   Q1   no two handles on one name are valid at one time
 *   Q2   tokens of successive holds of a name grow; so do those that a member gives
 *   Q3   a handle that was seen not valid, or told to be lost, is not valid again; who has no majority any more
 *        is told so
 *   Q4   a release says LOST only of a lock that was lost, and OK only of one that was not; a lease that is held
 *        can be released and extended by its token
 *   Q5   when the faults are over, whoever waits for a name gets it; a replacement that was broken off can be completed
 *   Q6   nothing is left behind at any member: no vote, no place in a line, no session; nor memory
 */
#ifndef TESTS_SIM_CLUSTER_H
#define TESTS_SIM_CLUSTER_H

#include <dblock/lock.h>

#include "sim/history.h"
#include "sim/process.h"

enum { HOLDS_MAX = 64, MEMBERS_MAX = 5, SPARES = 2 };

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

/* Who the members are, by their number from 0: a server each. */
struct members {
	int at[MEMBERS_MAX];
};

/* Only in worlds in which members are replaced. */
struct replacing {
	int n_processes;      /* so many do that: the last ones; 0: no member is replaced */
	int numbers[2];       /* they replace the first one, or perhaps */
	bool both;            /* the other one */
	bool blind;           /* the first process does not reach all that stay */
	struct members begun; /* the last one that anybody wanted in each place, */
	bool was_begun[MEMBERS_MAX];
	unsigned calling; /* who is inside the call: a bit each */
	int64_t late_at;  /* it was to be completed by then */
	bool completing;  /* nobody calls any more who did when the faults were over */
	bool over;        /* it is completed: the members are what is `now`; and */
	unsigned told;    /* who knows that: likewise */
};

struct cluster {
	int n_members, max_ttl_ms;
	struct members old, now; /* as the cluster was made, and as is known */
	struct members
		known[PROCESSES_MAX]; /* what each process was told when it opened its client */
	struct replacing replacing;
	struct hold holds[HOLDS_MAX];
	int n_holds;
	struct {
		int64_t returned; /* the largest token that an acquire has returned, */
		int64_t shared; /* the one of which another call of its owner has yet to return, */
		int64_t lease;  /* and the last one of a lease */
	} names[NAMES_MAX];
	int64_t tokens[SERVERS_MAX][NAMES_MAX]; /* the last one that a member has given */
	bool forgot[SERVERS_MAX];               /* it has lost commits, and votes no more */
	bool reaps;                             /* the last process reaps at the members */
};

extern const struct kind cluster_worlds;

/* "member://", which only these worlds have, leads to the servers of the world by their number (dialect.c). */
extern const char *const cluster_urls[SERVERS_MAX];
void cluster_urls_of(const struct world *, const struct members *, const char *urls[MEMBERS_MAX]);

/* Makes the databases of a cluster of three, and of one of five; and both once more, with blank ones beside them, and
 * a max_ttl that is short. Says which a world has that has drawn how many members there are. */
void cluster_setup(struct world *);
void cluster_choose(struct world *, int n_members);

/* The main thread of a process, and of the last one. */
void *cluster_client(void *process);
void *cluster_probe(void *process);

/* Lets one thread work until there is no more to do; then it holds nothing. */
void cluster_work(struct process *);

/* Takes each lock, if it can be had. */
void cluster_try_out(struct process *);

/* The faults are over: everybody wants everything once more, and has to get it. */
void cluster_rush(struct process *);

/* ---- cluster_replace.c ---- */

/* Draws which member is replaced, and by how many. */
void cluster_begin_replacing(struct world *);
bool cluster_is_replacer(const struct process *);

/* A client begins: it may not reach all. */
void cluster_blind(struct process *);

/* Such a process replaces a member, once, or tries to. True: it has. */
bool cluster_replace(struct process *);

/* The faults are over: what was begun is completed. All may call it; it returns when that is done. */
void cluster_complete(struct process *);

/* A statement of a replacement was carried out: its sender may come to harm. */
void cluster_replace_step(struct world *, const struct letter *);

/* ---- cluster_members.c ---- */

/* What a client is told now; enough of what it knows are members, so that it gets on. */
struct members cluster_told(const struct process *);
bool cluster_knows_enough(const struct process *);
bool cluster_knows_all(const struct process *);

/* A member's refusal is to be expected. */
bool cluster_may_refuse(const struct process *);

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

/* Somebody holds something by no more votes than are needed, one of them that member's, by its number from 0. */
bool hold_needs(struct world *, int member);

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
