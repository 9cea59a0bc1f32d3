/* SPDX-License-Identifier: MIT */
#include <dblock/group.h>

#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "base/mem.h"
#include "lock/wait/group.h"

/* Refuse options that belong to one name, or make no sense for several. */
static int check_options(const struct dblock_acquire_options *o, struct dblock_error *err)
{
	const char *wrong = NULL;

	if (o->lease_ms)
		wrong = "lease_ms";
	else if (o->at_least_ms)
		wrong = "at_least_ms";
	else if (o->unfair)
		wrong = "unfair";
	else if (o->waiting)
		wrong = "waiting";
	else if (o->mode != DBLOCK_EXCLUSIVE || o->permits || o->capacity)
		wrong = "mode, or permits and capacity, of all (each name has its own)";
	if (wrong)
		return dbl_fail(err, DBLOCK_E_INVALID, "several names cannot be asked for with %s",
				wrong);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct dbl_acquire_spec *)a)->name,
		      ((const struct dbl_acquire_spec *)b)->name);
}

static int check_twice(const struct dbl_acquire_spec *specs, size_t n, struct dblock_error *err)
{
	for (size_t i = 1; i < n; i++) {
		if (strcmp(specs[i - 1].name, specs[i].name) == 0)
			return dbl_fail(err, DBLOCK_E_INVALID, "'%s' is named twice; name it once",
					specs[i].name);
	}
	return 0;
}

static int read_specs(struct dbl_acquire_spec *specs, const struct dblock_client *client,
		      const struct dblock_lock_spec *wants, size_t n,
		      const struct dblock_acquire_options *o, bool tries, struct dblock_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		struct dblock_acquire_options one = *o;

		one.mode = wants[i].mode;
		one.permits = wants[i].permits;
		one.capacity = wants[i].capacity;
		rc = dbl_spec_read(&specs[i], client, wants[i].name, &one, err);
		specs[i].names = (int64_t)n;
		specs[i].blocks = !tries && o->owner == 0;
		/* The two callbacks are called for the group, not for each name. */
		specs[i].canceled = NULL;
		specs[i].lost = NULL;
	}
	if (rc)
		return rc;
	qsort(specs, n, sizeof(*specs), by_name);
	return check_twice(specs, n, err);
}

/* Acquire several names. There are n + 1 specs; the last has what all names share. */
static int acquire_several(struct dblock_client *client, struct dbl_acquire_spec *specs,
			   const struct dblock_lock_spec *wants, size_t n,
			   const struct dblock_acquire_options *o, bool tries,
			   struct dblock_lock **lock, struct dblock_error *err)
{
	struct dbl_acquire_spec *common = &specs[n];
	int rc = read_specs(specs, client, wants, n, o, tries, err);

	if (rc == 0)
		rc = dbl_spec_read(common, client, wants[0].name, o, err);
	if (rc)
		return rc;
	common->tries = tries;
	common->blocks = specs[0].blocks;
	if (tries)
		common->wait_until = dbl_now(client->target.env);
	for (size_t i = 0; i < n; i++)
		specs[i].wait_until = common->wait_until;
	return dbl_lock_all(client->locks, common, specs, (unsigned)n, lock, err);
}

static int acquire_one(struct dblock_client *client, const struct dblock_lock_spec *want,
		       const struct dblock_acquire_options *o, bool tries,
		       struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_acquire_options one = *o;

	one.mode = want->mode;
	one.permits = want->permits;
	one.capacity = want->capacity;
	return (tries ? dblock_try : dblock_acquire)(client, want->name, &one, lock, err);
}

static int acquire(struct dblock_client *client, const struct dblock_lock_spec *wants, size_t n,
		   const struct dblock_acquire_options *given, bool tries,
		   struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_acquire_options o;
	struct dbl_acquire_spec *specs;
	int rc;

	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	if (!wants)
		return dbl_fail(err, DBLOCK_E_INVALID, "wants is NULL");
	if (n < 1 || n > DBLOCK_NAMES_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID, "n is %zu; one call takes 1 to %d names", n,
				DBLOCK_NAMES_MAX);
	rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_ACQUIRE_OPTIONS", err);
	if (rc == 0)
		rc = check_options(&o, err);
	tries = tries || o.wait_ms == DBLOCK_NO_WAIT;
	if (rc)
		return rc;
	o.size = sizeof(o);
	if (n == 1)
		return acquire_one(client, wants, &o, tries, lock, err);
	specs = dbl_alloc((n + 1) * sizeof(*specs));
	if (!specs)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = acquire_several(client, specs, wants, n, &o, tries, lock, err);
	dbl_free(specs);
	return rc;
}

int dblock_acquire_all(struct dblock_client *client, const struct dblock_lock_spec *wants, size_t n,
		       const struct dblock_acquire_options *options, struct dblock_lock **lock,
		       struct dblock_error *err)
{
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, acquire(client, wants, n, options, false, lock, &heard));
}

int dblock_try_all(struct dblock_client *client, const struct dblock_lock_spec *wants, size_t n,
		   const struct dblock_acquire_options *options, struct dblock_lock **lock,
		   struct dblock_error *err)
{
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, acquire(client, wants, n, options, true, lock, &heard));
}

bool dblock_member_of(const struct dblock_lock *lock, size_t index, struct dblock_member *part)
{
	const struct dblock_lock *one = lock;
	struct dblock_member told;

	if (!lock || dbl_out_check(part, "DBLOCK_MEMBER", NULL) ||
	    index >= (lock->n_parts ? lock->n_parts : 1))
		return false;
	if (lock->n_parts)
		one = lock->parts[index];
	told = (struct dblock_member){
		.name = one->name, .token = one->grant.token, .mode = dblock_mode_of(one)};
	dbl_out_write(part, &told, sizeof(told));
	return true;
}
