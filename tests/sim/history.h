/* SPDX-License-Identifier: MIT */
/* All that has happened: what the clients believe, and what the server knows. */
#ifndef TESTS_SIM_HISTORY_H
#define TESTS_SIM_HISTORY_H

#include <dblock/lock.h>

#include "sim/counts.h"
#include "sim/in_queue.h"

struct letter;
struct process;
struct world;

enum { HELD_MAX = 128, GRANTS_MAX = 20000, BURIALS_MAX = 256, NAMES_MAX = 3, PENDING_MAX = 256 };

/* A grant as the server made it. */
struct grant {
	int name;
	int64_t token;
	int64_t last;  /* the last token that its client may give to its threads in turn */
	int64_t nonce; /* a downgrade changes it */
	bool revoked;  /* somebody has ended it by force, or moved its end by its token */
	bool marked;   /* it is written that it is taken away: its holder may have heard */
	/* Processes that have read the grant in order to take it away; those of them that saw a
	 * lease, for which no session lives whose client might hear of it. */
	unsigned taken_by, nobodys_for;
	bool unheard;    /* a lease that ended so, or after its client was declared dead */
	uint64_t losses; /* losses of commits before it */
	int64_t stored;  /* the capacity that was stored then; -1: none was */
};

/* A grant as its holder believes in it: from its acquire to its release. */
struct belief {
	struct dblock_lock *lock;
	struct process *process;
	int name;
	int64_t token, nonce;
	int64_t mode, weight, capacity;
	bool changing;    /* inside dblock_upgrade() or dblock_downgrade(): its grant may be new */
	char session[33]; /* "" if it has a lease */
	uint64_t thread;  /* the thread that alone may re-enter; 0: the same owner */
	int depth;        /* acquires not yet released */
	uint64_t id;
	int releasing;             /* releases that are under way */
	bool crowded;              /* there was more than one release at a time */
	bool over;                 /* its deadline has passed */
	bool seen_over;            /* and its holder was told so, by dblock_valid() */
	bool told;                 /* or by callback */
	bool excused;              /* it overlaps with a later one, which is allowed */
	const struct grant *grant; /* NULL: the server never made it */
};

struct history {
	int64_t counts[COUNT_KINDS];

	struct belief held[HELD_MAX];
	int n_held;

	struct grant grants[GRANTS_MAX];
	int n_grants;
	/* Sessions that a try has declared dead, without waiting. */
	struct {
		char session[33];
		int n_grants; /* grants made before that */
	} buried[BURIALS_MAX];
	int n_declared_dead;
	uint64_t losses;   /* the number of losses of commits */
	int64_t last_loss; /* the time of the last one */

	struct {
		int64_t token;    /* the last grant's */
		int64_t returned; /* the largest that an acquire has returned */
		/* The guarded resource: the last grant that has written, and the largest token of
		 * any that has read. */
		int64_t guard_token, guard_read;
		const struct grant *guard;
	} names[NAMES_MAX];

	struct queue_rows queue;

	/* Letters of a transaction that is not committed. */
	struct letter *pending[PENDING_MAX];
	int n_pending;
};

/* ---- the clients' side ---- */

/* An acquire has returned this handle; `before` is what names[name].returned was at its start. */
struct belief *history_acquired(struct world *, struct process *, int name, struct dblock_lock *,
				int64_t before);

/* Returns the token of one of the last few grants of a name: several may hold it. */
int64_t history_token(const struct world *, int name, int skip);

/* A release begins; then it has returned: *was is what was believed meanwhile. Returns true if it
 * was the last, and the only one under way. (Of two threads with one owner, one may re-enter, or
 * release, while the other releases; then nobody can tell which was the last.) */
uint64_t history_releasing(struct belief *);
bool history_released(struct world *, uint64_t id, struct belief *was);

/* An upgrade or a downgrade begins; then it has returned: *was is what was believed before. */
struct belief *history_changing(struct world *, struct dblock_lock *);
struct belief *history_changed(struct world *, struct dblock_lock *, struct belief *was);

/* Tells whether somebody relies on it now. */
bool history_counts(const struct belief *);

/* Returns the last grant with that token, or with turns up to it, or NULL. */
struct grant *history_grant(struct world *, int name, int64_t token);

/* Returns the last grant with that nonce, or NULL. */
struct grant *history_grant_by_nonce(struct world *, int name, int64_t nonce);

struct belief *history_belief_in(struct world *, const struct dblock_lock *);

/* The callback `lost`, whose argument is the world. */
void history_told(void *world, struct dblock_lock *);

/* The process has ended. */
void history_forget(struct process *);

/* ---- the server's side ---- */

void history_carried_out(struct world *, const struct letter *);

/* The letter is part of a transaction: it counts from its commit on. */
void history_pending(struct world *, struct letter *);
void history_committed(struct world *, const struct server *);
void history_rolled_back(struct world *, const struct server *);

void history_lost_commits(struct world *, struct server *);

/* A write, or a read, by this grant, or by that turn of it, arrives at the guarded resource. It
 * refuses any that is older than the last write, and a write that is older than a read: a reader
 * must not rely on something that is changed afterwards. */
void history_guard(struct world *, const struct grant *, int64_t token, bool reads);

#endif
