/* SPDX-License-Identifier: MIT */
#include "session/epoch.h"

#include <dblock/loss.h>

/* What a beat grows by is drawn below this: 2^31 of them are as many as an epoch may need. */
#define BEAT_STEP ((int64_t)1 << 31)

struct dbl_epoch *dbl_epoch_new(const struct dbl_env *env)
{
	struct dbl_epoch *epoch = dbl_alloc(sizeof(*epoch));

	if (!epoch)
		return NULL;
	epoch->beats[0] = dbl_random_id(env) / 2; /* room to count up in */
	epoch->n_beats = 1;
	atomic_init(&epoch->beat_there, epoch->beats[0]);
	atomic_init(&epoch->shares, 1);
	if (epoch->beats[0] == 0 || dbl_random_hex(env, epoch->id)) {
		dbl_free(epoch);
		return NULL;
	}
	return epoch;
}

int64_t dbl_epoch_next_beat(struct dbl_epoch *epoch, const struct dbl_env *env)
{
	int64_t next;

	DBL_ASSERT(epoch->n_beats > 0);
	next = dbl_epoch_last_beat(epoch) + 1 + dbl_random_id(env) % BEAT_STEP;

	epoch->beats[epoch->n_beats++ % DBL_BEATS] = next;
	return next;
}

int dbl_epoch_beat_age(const struct dbl_epoch *epoch, int64_t beat)
{
	for (unsigned age = 0; age < epoch->n_beats && age < DBL_BEATS; age++) {
		if (epoch->beats[(epoch->n_beats - 1 - age) % DBL_BEATS] == beat)
			return (int)age;
	}
	return -1;
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
