/* SPDX-License-Identifier: MIT */
/* One epoch of a client's session: its row's id in the database, and its validity. It is counted by
 * references; a grant keeps the epoch that it was made in. */
#ifndef DBL_SESSION_EPOCH_H
#define DBL_SESSION_EPOCH_H

#include "base/assert.h"
#include "base/env.h"
#include "base/mem.h"
#include "session/validity.h"

enum { DBL_TROUBLE_MAX = 512 };

/* So many of the beats that were sent last are known again. */
enum { DBL_BEATS = 16 };

struct dbl_epoch {
	char id[33];
	/* The beats that were sent for this row, the last one at `n_beats - 1` modulo DBL_BEATS. Each
	 * is larger than the one before, by a random number: nobody else writes it, not even a copy of
	 * this process. Only the heartbeat thread uses them. */
	int64_t beats[DBL_BEATS];
	unsigned n_beats;
	/* The one that the row has, as far as is known: what is granted to the session is granted
	 * only where the row has this one, or a later one. The heartbeat thread writes it. */
	_Atomic int64_t beat_there;
	struct dbl_validity validity;
	atomic_int cause;      /* enum dblock_loss_cause, or 0: its validity ran out */
	_Atomic int64_t ended; /* when it was ended, on env->now(), if there is a cause */
	atomic_int shares;
	/* Why no heartbeat gets through; "" if the last one did. The session's mutex guards it. */
	char trouble[DBL_TROUBLE_MAX];
};

/* A new epoch with a fresh id, a first beat and one reference; NULL: there is no memory, or no
 * randomness. */
struct dbl_epoch *dbl_epoch_new(const struct dbl_env *);

/* Draws the next beat, which is about to be sent. */
int64_t dbl_epoch_next_beat(struct dbl_epoch *, const struct dbl_env *);

/* The beat that was drawn last has certainly not been written: it need not be known again. */
static inline void dbl_epoch_drop_beat(struct dbl_epoch *epoch)
{
	DBL_ASSERT(epoch->n_beats > 1); /* the first one is written, or there is no epoch */
	epoch->n_beats--;
}

/* How long ago, in beats, this one was sent: 0 is the last. -1: it was not, or is forgotten. */
int dbl_epoch_beat_age(const struct dbl_epoch *, int64_t beat);

/* The beat that was sent last. */
static inline int64_t dbl_epoch_last_beat(const struct dbl_epoch *epoch)
{
	return epoch->beats[(epoch->n_beats - 1) % DBL_BEATS];
}

static inline void dbl_epoch_share(struct dbl_epoch *epoch)
{
	DBL_ASSERT(atomic_load(&epoch->shares) > 0); /* the caller has a reference */
	atomic_fetch_add(&epoch->shares, 1);
}

/* NULL is allowed. */
static inline void dbl_epoch_drop(struct dbl_epoch *epoch)
{
	DBL_ASSERT(!epoch || atomic_load(&epoch->shares) > 0);
	if (epoch && atomic_fetch_sub(&epoch->shares, 1) == 1)
		dbl_free(epoch);
}

/* The epoch is over for this process since `now`, for that cause (enum dblock_loss_cause). Only the
 * first call counts. */
void dbl_epoch_end(struct dbl_epoch *, int cause, int64_t now);

#endif
