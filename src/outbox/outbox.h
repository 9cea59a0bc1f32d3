/* SPDX-License-Identifier: MIT */
/* Messages in the caller's transactions: put, and noted as had; see dblock/outbox.h. */
#ifndef DBL_OUTBOX_OUTBOX_H
#define DBL_OUTBOX_OUTBOX_H

#include "link/tx.h"

/* One relay at a time delivers a shard of a topic. For good: a key's messages are all in one. */
enum { DBL_SHARDS = 8 };

struct dbl_message {
	const char *topic, *key, *headers, *body;
};

/* *number: its number among those of its key. */
int dbl_outbox_put(struct dblock_tx *, const struct dbl_message *, int64_t *number,
		   struct dblock_error *err);

/* What a consumer knows a message by. */
struct dbl_letter {
	const char *source, *key;
	int64_t number, id;
};

int dbl_inbox_seen(struct dblock_tx *, const struct dbl_letter *, struct dblock_error *err);

#endif
