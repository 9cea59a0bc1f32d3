/* SPDX-License-Identifier: MIT */
#include "lock/wait/modes.h"

#include <dblock/lock.h>

#include "api/client.h"

int dblock_upgrade(struct dblock_lock *lock, const struct dblock_upgrade_options *options,
		   struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_upgrade_options o;
	struct dbl_acquire_spec spec = {.mode = DBLOCK_EXCLUSIVE};
	int rc = dbl_lock_check_single(lock, &heard);

	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_UPGRADE_OPTIONS", &heard);
	if (rc == 0)
		rc = dbl_wait_read(&spec, o.wait_ms, lock->locks->env, &heard);
	if (rc == 0)
		rc = dbl_deadlock_read(&spec, o.deadlock_ms, &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	spec.canceled = o.canceled;
	spec.canceled_arg = o.canceled_arg;
	rc = dbl_lock_upgrade(lock, &spec, &heard);
	return dbl_tell(err, &heard, dbl_wait_told(&spec, rc, &heard));
}

int dblock_downgrade(struct dblock_lock *lock, enum dblock_mode mode, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_lock_check_single(lock, &heard);

	if (rc == 0)
		rc = dbl_lock_downgrade(lock, mode, &heard);
	return dbl_tell(err, &heard, rc);
}

enum dblock_mode dblock_mode_of(const struct dblock_lock *lock)
{
	enum dblock_mode mode;

	if (!lock)
		return DBLOCK_EXCLUSIVE;
	dbl_lock(&lock->locks->mutex);
	mode = lock->grant.mode;
	dbl_unlock(&lock->locks->mutex);
	return mode;
}
