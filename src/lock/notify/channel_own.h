/* SPDX-License-Identifier: MIT */
/* What the files of a channel share: channel.c, with a connection of its own, and channel_shared.c. */
#ifndef DBL_LOCK_NOTIFY_CHANNEL_OWN_H
#define DBL_LOCK_NOTIFY_CHANNEL_OWN_H

#include "lock/notify/channel.h"

struct dbl_channel {
	struct dbl_locks *locks;
	bool shares; /* it has no connection of its own */
	struct dbl_thread thread;
	int stop_event;
	char channel[33];
	/* The thread's own: */
	struct dbl_db *db;   /* its own connection; NULL: not connected */
	int64_t proof_until; /* by then the channel's own notification must have come */
	int64_t retry_at;    /* when to connect again, if not connected */
	int64_t backoff;
	bool brief;      /* the next sleep is a short one */
	bool apart;      /* it is to one node of a cluster, */
	int looks;       /* and so many sleeps more are short ones */
	uint64_t serial; /* of the shared connection that it listens on; 0: on none */
	/* Under locks->mutex: */
	struct dbl_cond changed;
	bool stopping;
	bool works;
};

/* channel.c: what was said on the channel. */
void dbl_channel_heard(struct dbl_channel *, const char *said);
void dbl_channel_set_works(struct dbl_channel *, bool works);

/* Reads, by that connection, what our waits were granted, and tells them. Not 0: it is broken. */
int dbl_channel_read_granted(struct dbl_channel *, struct dbl_db *);

/* The deadline of a request that is sent now. */
int64_t dbl_channel_deadline(const struct dbl_channel *);

/* channel_shared.c: has the work connection, and listens, until somebody else wants it. */
void dbl_channel_attend_shared(struct dbl_channel *);

#endif
