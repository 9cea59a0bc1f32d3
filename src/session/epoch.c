/* SPDX-License-Identifier: MIT */
#include "session/epoch.h"

#include <dblock/loss.h>

struct dbl_epoch *dbl_epoch_new(const struct dbl_env *env)
{
	struct dbl_epoch *epoch = dbl_alloc(sizeof(*epoch));

	if (!epoch)
		return NULL;
	epoch->beat = dbl_random_id(env) / 2; /* room to count up in */
	atomic_init(&epoch->shares, 1);
	if (epoch->beat == 0 || dbl_random_hex(env, epoch->id)) {
		dbl_free(epoch);
		return NULL;
	}
	return epoch;
}

void dbl_epoch_end(struct dbl_epoch *epoch, int cause, int64_t now)
{
	int none = 0;

	DBL_ASSERT(cause == DBLOCK_LOSS_FORGOTTEN || cause == DBLOCK_LOSS_DECLARED_DEAD, "%d",
		   cause);
	if (dbl_validity_left(&epoch->validity, now) > 0 &&
	    atomic_compare_exchange_strong(&epoch->cause, &none, cause))
		atomic_store(&epoch->ended, now);
	dbl_validity_end(&epoch->validity);
}
