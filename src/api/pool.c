/* SPDX-License-Identifier: MIT */
#include <dblock/pool.h>

#include "api/client.h"
#include "lock/admin/pool.h"
#include "lock/core/name.h"
#include "lock/grant/permit.h"

static int check_pool(const char *pool, struct dblock_error *err)
{
	if (!pool || !*pool)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the pool's name is %s; it has 1 to %d bytes",
				pool ? "empty" : "NULL", DBLOCK_NAME_MAX);
	return dbl_label_check("the pool's name", pool, DBLOCK_NAME_MAX, err);
}

static int check_resize(const struct dblock_client *client, const char *name, int64_t capacity,
			struct dblock_error *err)
{
	int rc = dbl_client_check(client, err);

	if (rc == 0)
		rc = dbl_name_check(name, err);
	if (rc == 0 && (capacity < 0 || capacity > DBLOCK_CAPACITY_MAX))
		rc = dbl_fail(err, DBLOCK_E_INVALID, "capacity is %lld; it is from 0 to %lld",
			      (long long)capacity, (long long)DBLOCK_CAPACITY_MAX);
	return rc;
}

int dblock_pool_resize(struct dblock_client *client, const char *name, int64_t capacity,
		       struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = check_resize(client, name, capacity, &heard);

	if (rc == 0)
		rc = dbl_pool_resize(client->locks, name, capacity, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_pool_capacity(struct dblock_client *client, const char *name, int64_t *capacity,
			 struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int64_t stored = 0;
	int rc = dbl_client_check_look(client, &heard);

	if (rc == 0)
		rc = dbl_name_check(name, &heard);
	if (rc == 0 && !capacity)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "capacity is NULL");
	if (rc == 0)
		rc = dbl_pool_capacity(client->locks, name, &stored, &heard);
	if (rc == 0)
		*capacity = stored;
	return dbl_tell(err, &heard, rc);
}

int64_t dblock_permit_of(const struct dblock_lock *lock, size_t index)
{
	return lock ? dbl_permit_number(lock, index) : -1;
}

int dblock_pool_members(struct dblock_client *client, const char *pool,
			dblock_pool_member_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0 && pool)
		rc = check_pool(pool, &heard);
	if (rc == 0)
		rc = dbl_pool_members(client->locks, pool ? pool : "", found, arg, &heard);
	return dbl_tell(err, &heard, rc);
}

typedef int change_fn(struct dbl_locks *, const char *pool, const char *member,
		      struct dblock_error *);

static int change(change_fn *fn, struct dblock_client *client, const char *pool, const char *member,
		  struct dblock_error *err)
{
	struct dblock_error heard = {0};
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = check_pool(pool, &heard);
	if (rc == 0)
		rc = dbl_name_check(member, &heard);
	if (rc == 0)
		rc = fn(client->locks, pool, member, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_pool_add(struct dblock_client *client, const char *pool, const char *member,
		    struct dblock_error *err)
{
	DBL_UNCANCELED;

	return change(dbl_pool_add, client, pool, member, err);
}

int dblock_pool_drain(struct dblock_client *client, const char *pool, const char *member,
		      struct dblock_error *err)
{
	DBL_UNCANCELED;

	return change(dbl_pool_drain, client, pool, member, err);
}

int dblock_pool_remove(struct dblock_client *client, const char *pool, const char *member,
		       struct dblock_error *err)
{
	DBL_UNCANCELED;

	return change(dbl_pool_remove, client, pool, member, err);
}
