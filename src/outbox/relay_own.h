/* SPDX-License-Identifier: MIT */
/* What the files of a relay share: relay.c goes round the shards, relay_turn.c through the keys of one, and
 * relay_message.c delivers a message. One thread has it. */
#ifndef DBL_OUTBOX_RELAY_OWN_H
#define DBL_OUTBOX_RELAY_OWN_H

#include "base/str.h"
#include "lock/core/acquire_spec.h"
#include "lock/recipes/bell.h"
#include "outbox/outbox.h"
#include "outbox/page.h"
#include "outbox/relay.h"

/* How far a relay has come in a shard: through all keys in their order, again and again. */
struct dbl_relay_shard {
	char key[DBLOCK_MESSAGE_KEY_MAX + 1]; /* it goes on behind this one, */
	int64_t number;                       /* and this */
	int64_t began; /* when this pass did, by the database's clock: younger messages have to wait for the next */
	bool delivered; /* something, in this pass */
	bool newer;     /* it has passed over younger messages */
	bool any_age;   /* so the next pass does not: clocks differ */
	int64_t next;   /* when a key of this pass is to be tried again; DBL_NEVER */
	int64_t due;    /* nothing is to be done there before */
};

struct dbl_relay {
	struct dbl_locks *locks;
	const struct dbl_relay_spec *spec;
	struct dbl_acquire_spec wait; /* who may cancel it */
	struct dbl_bell bell;
	struct dbl_relay_shard shards[DBL_SHARDS];
	unsigned first;               /* the shard that the next round begins with */
	bool busy, delivered, paused; /* in this round: another relay has a shard; something was
					 delivered; nothing can be */
	unsigned n_failed;            /* so many deliveries in a row, */
	int64_t failing_since;        /* the first of them then */
	bool has_delivered;           /* something, */
	int64_t delivered_at;         /* and then the last time */
	int64_t paused_until;         /* nothing is delivered before */
	int64_t next_at;              /* nor the next message, by the rate */
	struct dblock_error why;      /* what paused it */
};

/* A shard's lock, while it is ours. */
struct dbl_relay_turn {
	struct dbl_relay *relay;
	struct dbl_relay_shard *shard;
	int64_t number; /* of the shard */
	struct dblock_lock *lock;
	int64_t until;       /* a second from the first page on; 0: it is not read yet */
	int64_t clock_ahead; /* the database's clock is before ours by this */
	struct dbl_str
		done; /* JSON of the messages that were delivered, and are yet to be deleted, */
	int64_t done_since; /* the first of them then */
	bool over;          /* no other message in this turn */
};

/* relay_turn.c: deliver what a shard has, for about a second. 0 also if it is another relay's. */
int dbl_relay_take_turn(struct dbl_relay *, unsigned shard, struct dblock_error *err);

enum dbl_relay_outcome { DBL_RELAY_DELIVERED, DBL_RELAY_KEY_FAILED, DBL_RELAY_NOTHING_GOES };

/* relay_message.c: deliver it. Not 0: the database has failed. */
int dbl_relay_deliver(struct dbl_relay_turn *, const struct dbl_page_row *,
		      enum dbl_relay_outcome *, struct dblock_error *err);

/* relay_message.c: delete what was delivered. */
int dbl_relay_flush(struct dbl_relay_turn *, struct dblock_error *err);

static inline bool dbl_relay_is_paused(const struct dbl_relay *r)
{
	return dbl_now(r->locks->env) < r->paused_until;
}

#endif
