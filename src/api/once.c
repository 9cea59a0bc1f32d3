/* SPDX-License-Identifier: MIT */
#include <dblock/once.h>

#include "api/client.h"
#include "lock/core/name.h"
#include "lock/lock.h"
#include "lock/recipes/once.h"

static int once(dbl_acquire_fn *how, struct dblock_client *client, const char *name,
		const char *slot, const struct dblock_acquire_options *options,
		struct dblock_lock **lock, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_acquire_spec spec;
	int rc;

	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	rc = dbl_spec_read(&spec, client, name, options, &heard);
	if (rc == 0 && spec.mode != DBLOCK_EXCLUSIVE)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID,
			      "mode: a job that is done once is exclusive");
	if (rc == 0)
		rc = dbl_slot_check(slot, &heard);
	if (rc == 0)
		rc = dbl_once(client->locks, spec.wait_until ? how : dbl_lock_try, &spec, slot,
			      lock, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_once(struct dblock_client *client, const char *name, const char *slot,
		const struct dblock_acquire_options *options, struct dblock_lock **lock,
		struct dblock_error *err)
{
	return once(dbl_lock_wait, client, name, slot, options, lock, err);
}

int dblock_once_try(struct dblock_client *client, const char *name, const char *slot,
		    const struct dblock_acquire_options *options, struct dblock_lock **lock,
		    struct dblock_error *err)
{
	return once(dbl_lock_try, client, name, slot, options, lock, err);
}

int dblock_once_done(struct dblock_lock *lock, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_lock_check_single(lock, &heard);

	if (rc == 0 && !lock->slot[0])
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "'%s' was not taken by dblock_once()",
			      lock->name);
	if (rc == 0 && lock->grant.mode != DBLOCK_EXCLUSIVE)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "'%s' was downgraded: release it",
			      lock->name);
	if (rc == 0)
		rc = dbl_once_done(lock, &heard);
	return dbl_tell(err, &heard, rc);
}

const char *dblock_once_slot(const struct dblock_lock *lock)
{
	return lock ? lock->slot : "";
}
