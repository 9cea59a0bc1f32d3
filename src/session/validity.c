/* SPDX-License-Identifier: MIT */
#include "session/validity.h"

#include "base/assert.h"
#include "base/env.h"

#define MARGIN_LEAST_US 100000

void dbl_validity_begin(struct dbl_validity *validity, int64_t deadline)
{
	DBL_ASSERT(deadline > 0, "%lld", (long long)deadline); /* else it would be over */
	atomic_store(&validity->deadline, deadline);
}

void dbl_validity_shorten(struct dbl_validity *validity, int64_t deadline)
{
	int64_t before = atomic_load(&validity->deadline);

	DBL_ASSERT(deadline > 0, "%lld", (long long)deadline);
	while (before > 0 && deadline < before) {
		if (atomic_compare_exchange_weak(&validity->deadline, &before, deadline))
			return;
	}
}

bool dbl_validity_renew(struct dbl_validity *validity, int64_t now, int64_t deadline)
{
	int64_t before = atomic_load(&validity->deadline);

	DBL_ASSERT(deadline > 0, "%lld", (long long)deadline);
	while (before > 0 && now < before) {
		if (atomic_compare_exchange_weak(&validity->deadline, &before, deadline))
			return true;
	}
	dbl_validity_end(validity);
	return false;
}

void dbl_validity_end(struct dbl_validity *validity)
{
	int64_t before = atomic_load(&validity->deadline);

	while (before > 0 && !atomic_compare_exchange_weak(&validity->deadline, &before, -before))
		;
}

int64_t dbl_validity_deadline(int64_t sent, int64_t length)
{
	int64_t margin = length / 10 > MARGIN_LEAST_US ? length / 10 : MARGIN_LEAST_US;

	DBL_ASSERT(sent >= 0, "%lld", (long long)sent);
	return length > margin ? dbl_add(sent, length - margin) : sent;
}
