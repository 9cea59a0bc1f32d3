/* SPDX-License-Identifier: MIT */
/* What src/lock/quorum has of a client, its members, and a lock. Only its files and their tests
 * include this. All that is not said to be constant is under home.mutex. */
#ifndef DBL_LOCK_QUORUM_OWN_H
#define DBL_LOCK_QUORUM_OWN_H

#include "base/event.h"
#include "base/thread.h"
#include "base/workers.h"
#include "lock/handle/lock.h"
#include "lock/quorum/quorum.h"
#include "lock/quorum/vote.h"

/* Names on members begin with this, which no other client's name can: it has a control character.
 */
#define DBL_QUORUM_PREFIX     "quorum\x1f"
#define DBL_QUORUM_PREFIX_LEN (sizeof(DBL_QUORUM_PREFIX) - 1)

/* So many times within the ttl is a member asked again whose vote was lost, */
#define DBL_ASK_AGAIN_PART 12

/* and each one looked at, whether it is still the one that it was. */
#define DBL_WATCH_PART 3

/* What calls that are over have seen is kept for the next ones, of so many names. */
#define DBL_WATCHES 16

/* Who waits for members looks so often whether these have become slow. */
#define DBL_LOOK_AGAIN_US 100000

struct dbl_quorum;
struct dbl_quorum_lock;

struct dbl_quorum_member {
	struct dbl_job job;          /* to open it, and to look at it again */
	struct dbl_quorum *quorum;   /* constant, */
	unsigned number;             /* from 1, likewise, */
	struct dbl_workers *workers; /* and these */
	struct dbl_locks *locks;     /* NULL: it is not open yet; else constant */
	bool opening;
	bool watched;      /* its job is under way: it is being looked at, */
	int64_t watch_at;  /* which, if it failed, is not done before that */
	int64_t verified;  /* its link's losses, when it was last seen to be the same server, */
	int64_t losses;    /* and the member that it was; -1: in doubt */
	bool misled;       /* what was given as this member is something else */
	int64_t voted_as;  /* its number in the cluster; 0: not known */
	char history[33];  /* what the cluster knows it by */
	int64_t epoch;     /* under which it votes, */
	int64_t max_ttl;   /* and so long, at most, unless it is asked again; us: */
	int64_t proved_at; /* this was the last time */
	_Atomic uint64_t serial; /* grows when it is a member no more: its votes are over */
	bool slow;               /* it has kept somebody waiting, and not answered since */
	struct dbl_thread closer;
	unsigned n_jobs;   /* that have yet to end, */
	int64_t busy_from; /* and since when none of them has ended */
	int rc;            /* why it could not be opened, or asked, the last time */
	struct dblock_error why;
	/* Of who had its votes, by names' hashes. Beats do not come back, so time in which nobody
	 * looked counts; and whatever another name's shows is as true. */
	struct dbl_watch watches[DBL_WATCHES];
};

/* One member's vote for one lock. */
struct dbl_voter {
	struct dbl_job job;
	struct dbl_quorum_lock *lock;     /* constant, */
	struct dbl_quorum_member *member; /* as this */
	bool busy;                        /* somebody acts on it: what follows is his */
	struct dblock_lock *part;         /* the grant there, */
	int64_t token;                    /* at which it was given, or confirmed, */
	bool checked;                     /* under our epoch, */
	bool over;                        /* and it is lost, or not to be counted */
	struct dbl_watch watch;           /* of who has the member's vote instead */
	uint64_t looked;                  /* the last look there, of those of the lock */
	uint64_t serial;                  /* of the member, when it was asked */
	uint64_t round;                   /* the last one in which it said that it does not vote, */
	int rc;                           /* and why */
	struct dblock_error why;
	uint64_t extended; /* the last extension that it answered, */
	int extend_rc;     /* and how */
};

/* The handle. */
struct dbl_quorum_lock {
	struct dblock_lock base; /* first: what the caller sees */
	struct dbl_quorum *quorum;
	struct dbl_quorum_lock *next, **before; /* of all handles that are held */
	struct dbl_cond news;                   /* something has become of a vote */
	struct dbl_acquire_spec spec;           /* what a member is asked for */
	unsigned refs;           /* its caller's, and one for each voter that is busy */
	unsigned n_down;         /* rounds without enough members, while it waits */
	bool without_line;       /* a majority is enough, whatever the member of the line says */
	bool wanted;             /* votes are to be got, or else to be given back */
	bool held;               /* a majority has voted at one token */
	bool lost;               /* and does not any more: its holder is to be told */
	uint64_t round;          /* each asks each member once */
	int64_t proposal;        /* token that members are asked to vote at */
	int64_t raise;           /* and to which those below it are to be raised */
	uint64_t extends;        /* each has each member extend its lease once, */
	int64_t lease;           /* by so many us */
	bool in_line;            /* its caller stands in line at a member, */
	uint64_t looks;          /* and each has each member looked at, who has its vote */
	unsigned n_given_back;   /* so many members have freed it */
	int64_t ask_at;          /* when members whose votes are missing are asked again */
	struct dblock_loss loss; /* of the vote that was lost last; once it is lost, why */
	struct dbl_voter voters[];
};

struct dbl_quorum {
	struct dbl_locks home; /* first: what the client's calls are made on */
	struct dbl_quorum_opener opener;
	struct dbl_host host;
	bool ttl_given; /* else it is the members' max_ttl, where that is shorter */
	unsigned n, majority;
	/* What the members that are open have said last. Once one is, its name and identity are
	 * constant. */
	struct dbl_membership cluster;
	int64_t seen;    /* the largest token of any name: a logical clock */
	uint64_t owners; /* the last one that members know */
	struct dbl_quorum_lock *out;
	const struct dbl_quorum_lock *telling; /* its callback runs */
	struct dbl_thread keeper, teller;      /* hold.c */
	uint64_t teller_id;
	int64_t look_at;    /* the keeper looks by then, if nobody wakes it */
	unsigned n_in_line; /* so many wait in line at members */
	struct dbl_cond keep;
	bool closing;
	struct dbl_quorum_member members[];
};

static inline struct dbl_quorum *dbl_quorum_of(struct dbl_locks *home)
{
	return (struct dbl_quorum *)home;
}

static inline struct dbl_quorum_lock *dbl_quorum_lock_of(struct dblock_lock *lock)
{
	return (struct dbl_quorum_lock *)lock;
}

/* Puts a number among others, the smallest first. */
static inline void dbl_rank(int64_t sorted[], unsigned *n, int64_t number)
{
	unsigned at = (*n)++;

	for (; at > 0 && sorted[at - 1] > number; at--)
		sorted[at] = sorted[at - 1];
	sorted[at] = number;
}

/* ---- act.c ----------------------------------------------------------------------------------- */

/* A lease is held by the votes at its own token: by that it is released and extended from
 * elsewhere. */
static inline bool dbl_voter_is_of_lease(const struct dbl_voter *v)
{
	return !v->lock->spec.lease || v->token == v->lock->base.grant.token;
}

enum dbl_act {
	DBL_ACT_NONE,
	DBL_ACT_ASK,     /* for its vote, */
	DBL_ACT_CONFIRM, /* at a token that others have given, */
	DBL_ACT_EXTEND,  /* with a lease, */
	DBL_ACT_RELEASE, /* which is given back */
	DBL_ACT_LOOK     /* who has it */
};

/* Does that, on a worker of the member's, or in the place of one; returns what came of it. Under
 * the mutex, which is given up meanwhile. */
int dbl_voter_act(struct dbl_voter *, enum dbl_act);

/* Under the mutex: it votes for us; its lease is as it was asked for after so many extensions. Or
 * it does not, in that round. */
void dbl_voter_granted(struct dbl_voter *, struct dblock_lock *part, uint64_t extends);
void dbl_voter_refused(struct dbl_voter *, uint64_t round, int rc, const struct dblock_error *why);

/* ---- voter.c --------------------------------------------------------------------------------- */

/* Under the mutex: each goes on watching where the last call for that name has left off. */
void dbl_voters_init(struct dbl_quorum_lock *);

/* So long does the vote count, us. 0: it does not. */
int64_t dbl_voter_left(const struct dbl_voter *);

/* It is lost, or one of a member that was replaced. */
bool dbl_voter_is_over(const struct dbl_voter *);

/* Has a worker bring each vote to where the lock wants it. */
void dbl_voters_stir(struct dbl_quorum_lock *);

/* Something is being done to a vote. */
bool dbl_voters_are_busy(const struct dbl_quorum_lock *);

/* All that is to be done to votes has been, but at members that are slow. */
bool dbl_voters_rest(const struct dbl_quorum_lock *);

/* The caller acts on the vote, in the place of a worker: it waits until none does. False: not until
 * then. */
bool dbl_voter_take(struct dbl_voter *, int64_t until);
void dbl_voter_put(struct dbl_voter *, struct dblock_lock *part);

/* One reference less; the last frees it. Gives up the mutex. */
void dbl_quorum_unref_unlock(struct dbl_quorum_lock *);

/* Frees what is still held, once no worker is left, and no member that tells of losses. */
void dbl_quorum_forget_all(struct dbl_quorum *);

/* ---- ballot.c -------------------------------------------------------------------------------- */

/* A new round: each member that has not voted is asked. */
void dbl_ballot_propose(struct dbl_quorum_lock *);

/* Waits for the outcome of the round, until then. 0: a majority votes at one token, which is noted;
 * DBLOCK_BUSY: it votes for others; or why too few answer. */
int dbl_ballot_count(struct dbl_quorum_lock *, const struct dbl_acquire_spec *, int64_t until,
		     struct dblock_error *err);

/* A majority votes for others: somebody may hold it. */
bool dbl_ballot_is_held(struct dbl_quorum_lock *);

/* The member in whose line to wait: the first that answers; NULL: none does. If a majority votes
 * for others, the first of these: whoever has the lock may be without the vote of another one, and
 * wants it back. */
struct dbl_voter *dbl_ballot_line(struct dbl_quorum_lock *);

/* A member before that one votes for somebody else: he may stand first in its line, and want the
 * vote of this one. */
bool dbl_ballot_is_behind(const struct dbl_quorum_lock *, const struct dbl_voter *line);

/* ---- line.c ---------------------------------------------------------------------------------- */

/* Waits in line at that member, on this thread. 0: its vote is ours. DBLOCK_BUSY: it is not, and
 * others are to be asked; so after a ttl where nobody holds the lock, as far as is known. */
int dbl_line_stand(struct dbl_quorum_lock *, struct dbl_voter *line, bool held,
		   const struct dbl_acquire_spec *, struct dblock_error *err);

/* ---- hold.c ---------------------------------------------------------------------------------- */

int64_t dbl_quorum_left(struct dblock_lock *);
void dbl_quorum_loss(struct dblock_lock *, struct dblock_loss *);

/* Under the mutex: as before. */
int64_t dbl_hold_left(const struct dbl_quorum_lock *);

/* If the majority is over by now, the lock is lost. To be called before a vote counts, which does
 * not bring it back, as somebody else may have had it in between: nothing else makes votes more. */
void dbl_hold_check(struct dbl_quorum_lock *);

/* The threads that see, and tell, what is lost. */
int dbl_keeper_start(struct dbl_quorum *);

/* It looks by then. */
void dbl_keeper_wake_by(struct dbl_quorum *, int64_t at);
void dbl_keeper_stop(struct dbl_quorum *);

/* The vote was lost: a member's `lost`. */
void dbl_voter_lost(void *voter, struct dblock_lock *part);

/* ---- loss.c ---------------------------------------------------------------------------------- */

/* Under the mutex, as the next: the majority is over, by the cause of a vote that is over now, else of the one that was lost last;
 * that is counted, and is the cause from then on. */
void dbl_loss_begin(struct dbl_quorum_lock *);

/* A member says more of a vote that was lost. */
void dbl_loss_more(struct dbl_quorum_lock *, const struct dblock_loss *);

/* ---- close.c --------------------------------------------------------------------------------- */

/* Closes the members, and frees it. */
void dbl_quorum_drop(struct dbl_quorum *);

/* ---- acquire.c, release.c, extend.c, by_token.c ---------------------------------------------- */

int dbl_quorum_try(struct dbl_locks *home, const struct dbl_acquire_spec *, struct dblock_lock **,
		   struct dblock_error *err);
int dbl_quorum_wait(struct dbl_locks *home, const struct dbl_acquire_spec *, struct dblock_lock **,
		    struct dblock_error *err);
int dbl_quorum_release(struct dblock_lock *, struct dblock_error *err);
int dbl_quorum_extend(struct dblock_lock *, int64_t lease, struct dblock_error *err);

/* DBLOCK_E_INVALID: the lease would be longer than a member that is replaced waits. */
int dbl_quorum_check_lease(const struct dbl_quorum *, int64_t lease, struct dblock_error *err);

int dbl_quorum_release_token(struct dbl_locks *home, const char *name, int64_t token,
			     struct dblock_error *err);
int dbl_quorum_extend_token(struct dbl_locks *home, const char *name, int64_t token, int64_t lease,
			    struct dblock_error *err);

/* Waiting may help. */
bool dbl_may_pass(int rc);

/* Gives all votes back, and waits until then, or until they are. */
void dbl_quorum_give_back(struct dbl_quorum_lock *, int64_t until);

#endif
