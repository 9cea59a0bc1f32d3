/* SPDX-License-Identifier: MIT */
/* What waits to be delivered, and what could not be: listed, tried again, given up; see dblock/outbox.h. */
#ifndef DBL_OUTBOX_LEDGER_H
#define DBL_OUTBOX_LEDGER_H

#include <dblock/outbox.h>

#include "lock/core/context.h"

/* Each returns what the callback did, if that is not 0. No mutex is held while it runs. */
int dbl_outbox_topics(struct dbl_locks *, dblock_outbox_topic_cb *, void *arg,
		      struct dblock_error *err);

/* topic: "" is all of them. */
int dbl_outbox_failures(struct dbl_locks *, const char *topic, dblock_outbox_failure_cb *,
			void *arg, struct dblock_error *err);

int dbl_outbox_messages(struct dbl_locks *, const char *topic, const char *key, dblock_message_cb *,
			void *arg, struct dblock_error *err);

/* key: "" is all of the topic. *n: so many are to be tried again. */
int dbl_outbox_retry(struct dbl_locks *, const char *topic, const char *key, int64_t *n,
		     struct dblock_error *err);

int dbl_outbox_drop(struct dbl_locks *, const char *topic, const char *key, int64_t number,
		    struct dblock_error *err);

#endif
