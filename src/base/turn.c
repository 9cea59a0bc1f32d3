/* SPDX-License-Identifier: MIT */
#include "base/turn.h"

int dbl_turn_init(struct dbl_turn *turn)
{
	int rc = dbl_mutex_init(&turn->mutex);

	turn->taken = false;
	if (rc)
		return rc;
	rc = dbl_cond_init(&turn->over);
	if (rc)
		dbl_mutex_fini(&turn->mutex);
	return rc;
}

void dbl_turn_fini(struct dbl_turn *turn)
{
	dbl_cond_fini(&turn->over);
	dbl_mutex_fini(&turn->mutex);
}

bool dbl_turn_take(struct dbl_turn *turn, const struct dbl_env *env, int64_t until)
{
	bool mine;

	dbl_lock(&turn->mutex);
	while (turn->taken && dbl_now(env) < until)
		dbl_cond_wait(&turn->over, &turn->mutex, env, until);
	mine = !turn->taken;
	turn->taken = true;
	dbl_unlock(&turn->mutex);
	return mine;
}

/* One is enough to wake: whoever is woken and finds it taken again is woken at that one's end. */
void dbl_turn_end(struct dbl_turn *turn)
{
	dbl_lock(&turn->mutex);
	turn->taken = false;
	dbl_cond_wake_one(&turn->over);
	dbl_unlock(&turn->mutex);
}
