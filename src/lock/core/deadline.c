/* SPDX-License-Identifier: MIT */
#include "lock/core/context.h"

/* What a request gets even if its caller wanted to be back before. To a server: longer than it
 * waits for a row (on MySQL up to two seconds), since a request that is cut off on its way leaves
 * more to clear up than one that is late. A file is simply let go of. */
#define LEAST_SERVER_US 3000000
#define LEAST_FILE_US   100000

int64_t dbl_locks_deadline(const struct dbl_locks *locks)
{
	int64_t deadline = dbl_add(dbl_now(locks->env), locks->timeout), until = locks->until;

	DBL_ASSERT(locks->timeout > 0 && until > 0, "%lld, %lld", (long long)locks->timeout,
		   (long long)until);
	return deadline < until ? deadline : until;
}

int64_t dbl_locks_deadline_by(const struct dbl_locks *locks, int64_t until)
{
	int64_t latest = dbl_locks_deadline(locks);
	int64_t least = dbl_now(locks->env) +
			(locks->target->dialect->is_file ? LEAST_FILE_US : LEAST_SERVER_US);

	until = until > least ? until : least;
	return until < latest ? until : latest;
}
