/* SPDX-License-Identifier: MIT */
/* Which database a transaction is on, whatever became of it: each has a first history, which it keeps, and a newest one,
 * which begins where it is restored, or fails over. */
#ifndef DBL_LOCK_TX_HISTORIES_H
#define DBL_LOCK_TX_HISTORIES_H

#include "link/tx.h"

struct dbl_histories {
	char first[33], newest[33];
};

/* Read both; no transaction is open. begins: where none has begun on this server, it does; else `newest` is "" then. Two
 * round trips; four where one begins. */
int dbl_histories_read(struct dblock_tx *, bool begins, struct dbl_histories *,
		       struct dblock_error *err);

#endif
