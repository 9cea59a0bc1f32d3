/* SPDX-License-Identifier: MIT */
#include "session/life.h"

#include <dblock/loss.h>

#include "base/assert.h"
#include "base/mem.h"

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

void dbl_life_share(struct dbl_life *life)
{
	DBL_ASSERT(atomic_load(&life->shares) > 0); /* who shares it has a share */
	atomic_fetch_add(&life->shares, 1);
}

void dbl_life_drop(struct dbl_life *life)
{
	DBL_ASSERT(!life || atomic_load(&life->shares) > 0);
	if (life && atomic_fetch_sub(&life->shares, 1) == 1)
		dbl_free(life);
}
