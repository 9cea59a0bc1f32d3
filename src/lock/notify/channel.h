/* SPDX-License-Identifier: MIT */
/*
 * The doorbell of a client: one more connection, with a thread that waits on it to be rung by those
 * whom no datagram reaches. It is opened when the client's first call waits, and closed with the
 * client; what goes wrong with it costs time only.
 *
 *   PostgreSQL  It listens on a channel of its own (LISTEN, which holds nothing while it is idle).
 *               What is said there is the nonce and the token of a grant.
 *   MySQL       It sleeps in SQL, a second at a time, as long as somebody waits; who rings
 * interrupts that. Then, and each second, it reads in one statement what its client's waits have
 *               been granted. So it works, if slowly, even where nobody may interrupt it.
 *
 * It works (dbl_channel_works) once it has been rung: on PostgreSQL it rings itself first, by the
 * work connection, since behind a pooler that shares connections LISTEN succeeds and hears nothing.
 * Inside src/lock.
 */
#ifndef DBL_LOCK_CHANNEL_H
#define DBL_LOCK_CHANNEL_H

#include "lock/core/context.h"

struct dbl_channel;

/* NULL: it cannot be had. Does not wait for the connection. */
struct dbl_channel *dbl_channel_new(struct dbl_locks *);

/* Tell it to end; does not wait. NULL is allowed, also below. */
void dbl_channel_stop(struct dbl_channel *);

/* Wait for its end: no longer than half the client's timeout after it was told. */
void dbl_channel_free(struct dbl_channel *);

/* 32 hexadecimal digits; lives as long as it does. */
const char *dbl_channel_name(const struct dbl_channel *);

/* Under locks->mutex: as far as is known, a ring comes through; or, a call has begun to wait. */
bool dbl_channel_works(const struct dbl_channel *);
void dbl_channel_needed(struct dbl_channel *);

/* Ring another client's: one statement on the work connection, and one more for each connection
 * that has to be interrupted. False: it was not heard for certain. */
bool dbl_channel_notify(struct dbl_locks *, const char *name, int64_t nonce, int64_t token);

#endif
