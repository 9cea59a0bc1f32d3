/* SPDX-License-Identifier: MIT */
#include <dblock/guard.h>

#include "api/tx.h"
#include "lock/core/name.h"
#include "row/guard.h"

int dblock_guard(struct dblock_tx *tx, const char *name, int64_t token, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_tx_check(tx, &heard);

	if (rc == 0)
		rc = dbl_name_check(name, &heard);
	if (rc == 0 && token <= 0)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "token is %lld; tokens are positive",
			      (long long)token);
	if (rc == 0)
		rc = dbl_guard(tx, name, token, &heard);
	return dbl_tell(err, &heard, rc);
}
