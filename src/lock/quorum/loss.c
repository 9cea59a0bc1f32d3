/* SPDX-License-Identifier: MIT */
/* Why the majority is over: whoever is told of that may ask at once, and is told the same later. */
#include "lock/quorum/own.h"

#include <stdio.h>

#include "lock/handle/state.h"

static enum dblock_loss_cause cause_of(const struct dbl_quorum_lock *l)
{
	int cause =
		l->loss.cause == DBLOCK_LOSS_NONE ? DBLOCK_LOSS_UNREACHABLE : (int)l->loss.cause;

	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (v->part && (v->over || dbl_grant_left(v->part) == 0))
			cause = dbl_grant_cause(v->part);
	}
	return (enum dblock_loss_cause)cause;
}

void dbl_loss_begin(struct dbl_quorum_lock *l)
{
	enum dblock_loss_cause cause = cause_of(l);

	DBL_COUNT(l->quorum->home.tally, losses[cause]);
	if (l->loss.cause == cause)
		return;
	l->loss = (struct dblock_loss){.cause = cause, .at_us = dbl_wall(l->quorum->home.env)};
	(void)snprintf(l->loss.text, sizeof(l->loss.text),
		       "no majority of its members votes for it any more");
}

void dbl_loss_more(struct dbl_quorum_lock *l, const struct dblock_loss *loss)
{
	if (loss->cause != DBLOCK_LOSS_NONE && (!l->lost || loss->cause == l->loss.cause))
		l->loss = *loss;
}
