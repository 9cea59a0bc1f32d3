/* SPDX-License-Identifier: MIT */
#include "api/group.h"

#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "base/mem.h"
#include "lock/lock.h"
#include "lock/wait/group.h"

/* Refuse options that belong to one name, or make no sense for several. */
static int check_options(const struct dblock_acquire_options *o, bool any, struct dblock_error *err)
{
	const char *wrong = NULL;

	if (o->lease_ms && !any)
		wrong = "lease_ms";
	else if (o->at_least_ms && !any)
		wrong = "at_least_ms";
	else if (o->priority && !any)
		wrong = "priority";
	else if (o->unfair)
		wrong = "unfair";
	else if (o->waiting)
		wrong = "waiting";
	else if (o->numbered && !any)
		wrong = "numbered";
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

/* In the caller's order. */
static int read_specs(struct dbl_acquire_spec *specs, const struct dbl_group_call *call,
		      const struct dblock_acquire_options *o, struct dblock_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < call->n && rc == 0; i++) {
		struct dblock_acquire_options one = *o;

		one.mode = call->wants[i].mode;
		one.permits = call->wants[i].permits;
		one.capacity = call->wants[i].capacity;
		rc = dbl_spec_read(&specs[i], call->client, call->wants[i].name, &one, err);
	}
	return rc;
}

/* As parts of one wait, in byte order of their names. */
static int make_parts(struct dbl_acquire_spec *specs, const struct dbl_group_call *call,
		      const struct dbl_acquire_spec *common, struct dblock_error *err)
{
	for (size_t i = 0; i < call->n; i++) {
		specs[i].names = call->any ? -(int64_t)call->n : (int64_t)call->n;
		specs[i].blocks = common->blocks;
		specs[i].wait_until = common->wait_until;
		specs[i].canceled = NULL; /* the wait as a whole is */
		specs[i].idle = 0;
		specs[i].intends = call->tree && i + 1 < call->n;
		if (!call->any)
			specs[i].lost = NULL; /* the group's handle tells */
	}
	qsort(specs, call->n, sizeof(*specs), by_name);
	return check_twice(specs, call->n, err);
}

/* There are 2n + 1 specs: what the names share, the parts, and, for any, the names as they were given. */
static int acquire_several(struct dbl_acquire_spec *common, const struct dbl_group_call *call,
			   const struct dblock_acquire_options *o, struct dblock_lock **lock,
			   struct dblock_error *err)
{
	struct dbl_locks *locks = call->client->locks;
	struct dbl_acquire_spec *parts = common + 1, *given = parts + call->n;
	struct dbl_any any = {
		.n = (unsigned)call->n, .given = given, .common = common, .sorted = parts};
	struct dblock_acquire_options shared = *o;
	int rc = read_specs(parts, call, o, err);

	shared.numbered = false; /* it is about each name's permits */
	if (rc == 0)
		rc = dbl_spec_read(common, call->client, call->wants[0].name, &shared, err);
	if (rc)
		return rc;
	common->numbered = o->numbered;
	common->tries = call->tries;
	common->blocks = !call->tries && o->owner == 0 && o->lease_ms == 0;
	if (call->tries)
		common->wait_until = dbl_now(call->client->target.env);
	memcpy(given, parts, call->n * sizeof(*parts));
	for (size_t i = 0; i < call->n; i++)
		given[i].asks_only = !call->tries;
	rc = make_parts(parts, call, common, err);
	if (rc)
		return rc;
	return call->any ? dbl_lock_any(locks, &any, lock, err)
			 : dbl_lock_all(locks, common, parts, any.n, lock, err);
}

static int acquire_one(const struct dbl_group_call *call, const struct dblock_acquire_options *o,
		       struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_acquire_options one = *o;

	one.mode = call->wants->mode;
	one.permits = call->wants->permits;
	one.capacity = call->wants->capacity;
	return (call->tries ? dblock_try : dblock_acquire)(call->client, call->wants->name, &one,
							   lock, err);
}

static int check_call(const struct dbl_group_call *call, struct dblock_lock **lock,
		      struct dblock_error *err)
{
	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	if (!call->wants)
		return dbl_fail(err, DBLOCK_E_INVALID, "wants is NULL");
	if (call->n < 1 || call->n > DBLOCK_NAMES_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID, "n is %zu; one call takes 1 to %d names",
				call->n, DBLOCK_NAMES_MAX);
	return 0;
}

int dbl_group_acquire(struct dbl_group_call *call, const struct dblock_acquire_options *given,
		      struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_acquire_options o;
	struct dbl_acquire_spec *specs;
	int rc = check_call(call, lock, err);

	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_ACQUIRE_OPTIONS", err);
	if (rc == 0)
		rc = check_options(&o, call->any, err);
	if (rc)
		return rc;
	call->tries = call->tries || o.wait_ms == DBLOCK_NO_WAIT;
	o.size = sizeof(o);
	if (call->n == 1)
		return acquire_one(call, &o, lock, err);
	specs = dbl_alloc((2 * call->n + 1) * sizeof(*specs));
	if (!specs)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = acquire_several(specs, call, &o, lock, err);
	dbl_free(specs);
	return rc;
}

int dblock_acquire_all(struct dblock_client *client, const struct dblock_lock_spec *wants, size_t n,
		       const struct dblock_acquire_options *options, struct dblock_lock **lock,
		       struct dblock_error *err)
{
	struct dbl_group_call call = {.client = client, .wants = wants, .n = n};
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, dbl_group_acquire(&call, options, lock, &heard));
}

int dblock_try_all(struct dblock_client *client, const struct dblock_lock_spec *wants, size_t n,
		   const struct dblock_acquire_options *options, struct dblock_lock **lock,
		   struct dblock_error *err)
{
	struct dbl_group_call call = {.client = client, .wants = wants, .n = n, .tries = true};
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, dbl_group_acquire(&call, options, lock, &heard));
}

int dblock_acquire_any(struct dblock_client *client, const struct dblock_lock_spec *wants, size_t n,
		       const struct dblock_acquire_options *options, struct dblock_lock **lock,
		       struct dblock_error *err)
{
	struct dbl_group_call call = {.client = client, .wants = wants, .n = n, .any = true};
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, dbl_group_acquire(&call, options, lock, &heard));
}

int dblock_try_any(struct dblock_client *client, const struct dblock_lock_spec *wants, size_t n,
		   const struct dblock_acquire_options *options, struct dblock_lock **lock,
		   struct dblock_error *err)
{
	struct dbl_group_call call = {
		.client = client, .wants = wants, .n = n, .any = true, .tries = true};
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard, dbl_group_acquire(&call, options, lock, &heard));
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
