/* SPDX-License-Identifier: MIT */
#include <dblock/loss.h>

#include "api/client.h"
#include "lock/handle/loss.h"

/* Looking may end a validity, which nobody can tell from an earlier end; so the handle stays
 * const. */
static struct dblock_lock *unconst(const struct dblock_lock *lock)
{
	union {
		const struct dblock_lock *given;
		struct dblock_lock *lock;
	} same = {.given = lock};

	return same.lock;
}

int dblock_loss_of(const struct dblock_lock *lock, struct dblock_loss *loss)
{
	struct dblock_loss ours;
	int rc = dbl_lock_check(lock, NULL);

	if (rc)
		return rc;
	rc = dbl_out_check(loss, "DBLOCK_LOSS", NULL);
	if (rc)
		return rc;
	lock->locks->calls->loss(unconst(lock), &ours);
	dbl_out_write(loss, &ours, sizeof(ours));
	return ours.cause == DBLOCK_LOSS_NONE ? DBLOCK_OK : DBLOCK_LOST;
}
