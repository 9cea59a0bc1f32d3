/* SPDX-License-Identifier: MIT */
#include "session/epoch.h"

#include <dblock/loss.h>

struct dbl_life *dbl_life_new(const struct dbl_env *env)
{
	struct dbl_life *life = dbl_alloc(sizeof(*life));

	if (!life)
		return NULL;
	life->beat = dbl_random_id(env) / 2; /* room to grow in */
	atomic_init(&life->shares, 1);
	if (life->beat == 0 || dbl_random_hex(env, life->id)) {
		dbl_free(life);
		return NULL;
	}
	return life;
}

void dbl_life_end(struct dbl_life *life, int cause, int64_t now)
{
	int none = 0;

	DBL_ASSERT(cause == DBLOCK_LOSS_FORGOTTEN || cause == DBLOCK_LOSS_DECLARED_DEAD, "%d",
		   cause);
	if (dbl_term_left(&life->term, now) > 0 &&
	    atomic_compare_exchange_strong(&life->cause, &none, cause))
		atomic_store(&life->ended, now);
	dbl_term_end(&life->term);
}
