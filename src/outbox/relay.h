/* SPDX-License-Identifier: MIT */
/* Messages are delivered: see dblock_outbox_relay(). */
#ifndef DBL_OUTBOX_RELAY_H
#define DBL_OUTBOX_RELAY_H

#include <dblock/outbox.h>

#include "lock/core/context.h"

/* All that is asked of a relay; times are us. */
struct dbl_relay_spec {
	const char *topic;
	dblock_deliver_cb *deliver;
	void *arg;
	bool drain;
	int64_t tries, pause, pause_max, batch, poll;
	int64_t every; /* between two messages; 0: at once */
	int (*canceled)(void *arg);
	void *canceled_arg;
	void (*failed)(void *arg, const struct dblock_message *, const struct dblock_error *,
		       int64_t again_ms);
	void *failed_arg;
	void (*trouble)(void *arg, const struct dblock_error *);
	void *trouble_arg;
};

/* Returns as dblock_outbox_relay(). */
int dbl_outbox_relay(struct dbl_locks *, const struct dbl_relay_spec *, struct dblock_error *err);

/* The lock that each relay of a topic has, and whom dbl_outbox_ring() wakes by it; and those of its shards, one relay's
 * at a time. */
#define DBL_RELAY_NAME "dblock/outbox/relay/%s"
#define DBL_SHARD_NAME "dblock/outbox/%u/%s"

int dbl_outbox_ring(struct dbl_locks *, const char *topic, struct dblock_error *err);

/* Likewise once the transaction has committed, if it is one of a client's. */
void dbl_outbox_ring_after(struct dblock_tx *, const char *topic);

#endif
