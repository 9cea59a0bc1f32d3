/* SPDX-License-Identifier: MIT */
#include "lock/quorum/own.h"

#include "lock/handle/state.h"

void dbl_quorum_count_loss(const struct dbl_quorum_lock *l)
{
	int cause = l->loss ? (int)l->loss->cause : DBLOCK_LOSS_UNREACHABLE;

	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (v->part && (v->over || dbl_grant_left(v->part) == 0))
			cause = dbl_grant_cause(v->part);
	}
	DBL_COUNT(l->quorum->home.tally, losses[cause]);
}
