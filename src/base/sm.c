/* SPDX-License-Identifier: MIT */
#include "base/sm.h"

#include "base/assert.h"
#include "base/err.h"

int dbl_sm_refuse(const struct dbl_sm *sm, int to, struct dblock_error *err)
{
	const char *from = sm->states[dbl_sm_now(sm)].name;

	DBL_ASSERT(false, "from %s to %s", from, sm->states[to].name);
	return dbl_fail(err, DBLOCK_E_BUG,
			"an error inside dblock: there is no way from state %s to %s", from,
			sm->states[to].name);
}
