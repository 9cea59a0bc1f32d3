/* SPDX-License-Identifier: MIT */
#include <dblock/barrier.h>
#include <dblock/latch.h>

#include <stdio.h>

#include "api/client.h"
#include "lock/core/name.h"
#include "lock/recipes/barrier.h"

#define LATCH   "latch:"
#define BARRIER "barrier:"

/* The name of its lock and row. */
static int read_name(const struct dblock_client *client, const char *kind, const char *name,
		     char full[DBL_NAME_MAX + 1], struct dblock_error *err)
{
	int rc = dbl_client_check(client, err);

	if (rc == 0)
		rc = dbl_name_check(name, err);
	if (rc == 0 && strlen(name) > DBLOCK_LATCH_NAME_MAX)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "name: it may have at most %d bytes",
			      DBLOCK_LATCH_NAME_MAX);
	if (rc == 0)
		(void)snprintf(full, DBL_NAME_MAX + 1, "%s%s", kind, name);
	return rc;
}

static int check_number(const char *what, int64_t number, int64_t least, int64_t most,
			struct dblock_error *err)
{
	if (number >= least && number <= most)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID, "%s is %lld; it is from %lld to %lld", what,
			(long long)number, (long long)least, (long long)most);
}

/* ---- latches ---------------------------------------------------------------------------------- */

static int check_out(const struct dblock_latch *latch, struct dblock_error *err)
{
	return latch ? dbl_out_check(latch, "DBLOCK_LATCH", err) : 0;
}

static void show(struct dblock_latch *out, const struct dbl_countdown *row)
{
	struct dblock_latch latch = {.generation = row->generation,
				     .count = row->count,
				     .of = row->size,
				     .since_us = row->since};

	if (out)
		dbl_out_write(out, &latch, sizeof(latch));
}

int dblock_latch_create(struct dblock_client *client, const char *name, int64_t count,
			struct dblock_latch *latch, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	char full[DBL_NAME_MAX + 1];
	struct dbl_countdown row;
	int rc = read_name(client, LATCH, name, full, &heard);

	if (rc == 0)
		rc = check_number("count", count, 1, DBLOCK_LATCH_MAX, &heard);
	if (rc == 0)
		rc = check_out(latch, &heard);
	if (rc == 0)
		rc = dbl_countdown_open(client->locks, full, count, &row, &heard);
	if (rc == 0)
		show(latch, &row);
	return dbl_tell(err, &heard, rc);
}

int dblock_latch_count_down(struct dblock_client *client, const char *name, int64_t n,
			    const struct dblock_count_down_options *options, int64_t *left,
			    struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_count_down_options o;
	char full[DBL_NAME_MAX + 1];
	int64_t rest = 0;
	int rc = read_name(client, LATCH, name, full, &heard);

	if (rc == 0)
		rc = check_number("n", n, 1, DBLOCK_LATCH_MAX, &heard);
	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_COUNT_DOWN_OPTIONS", &heard);
	if (rc == 0)
		rc = check_number("request", o.request, 0, INT64_MAX, &heard);
	if (rc == 0)
		rc = dbl_countdown_down(client->locks, full, n, o.request, &rest, &heard);
	if (rc == 0 && left)
		*left = rest;
	return dbl_tell(err, &heard, rc);
}

int dblock_latch_wait(struct dblock_client *client, const char *name,
		      const struct dblock_latch_wait_options *options, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_latch_wait_options o;
	char full[DBL_NAME_MAX + 1];
	struct dbl_acquire_spec spec = {.name = full};
	int rc = read_name(client, LATCH, name, full, &heard);

	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_LATCH_WAIT_OPTIONS", &heard);
	if (rc == 0)
		rc = dbl_wait_read(&spec, o.wait_ms, client->target.env, &heard);
	if (rc == 0)
		rc = check_number("generation", o.generation, 0, INT64_MAX, &heard);
	if (rc == 0) {
		spec.canceled = o.canceled;
		spec.canceled_arg = o.canceled_arg;
		rc = dbl_countdown_await(client->locks, &spec, o.generation, &heard);
		rc = dbl_wait_told(&spec, rc, &heard);
	}
	return dbl_tell(err, &heard, rc);
}

int dblock_latch_reset(struct dblock_client *client, const char *name, int64_t count,
		       struct dblock_latch *latch, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	char full[DBL_NAME_MAX + 1];
	struct dbl_countdown row;
	int rc = read_name(client, LATCH, name, full, &heard);

	if (rc == 0)
		rc = check_number("count", count, 0, DBLOCK_LATCH_MAX, &heard);
	if (rc == 0)
		rc = check_out(latch, &heard);
	if (rc == 0)
		rc = dbl_countdown_reset(client->locks, full, count, &row, &heard);
	if (rc == 0)
		show(latch, &row);
	return dbl_tell(err, &heard, rc);
}

int dblock_latch_show(struct dblock_client *client, const char *name, struct dblock_latch *latch,
		      struct dblock_error *err)
{
	DBL_ENTRY(heard);
	char full[DBL_NAME_MAX + 1];
	struct dbl_countdown row;
	int rc = read_name(client, LATCH, name, full, &heard);

	if (rc == 0)
		rc = dbl_out_check(latch, "DBLOCK_LATCH", &heard);
	if (rc == 0)
		rc = dbl_countdown_look(client->locks, NULL, full, 0, &row, &heard);
	if (rc == 0 && !row.found)
		rc = dbl_fail(&heard, DBLOCK_STALE, "'%s': there is no such latch", name);
	if (rc == 0)
		show(latch, &row);
	return dbl_tell(err, &heard, rc);
}

/* ---- barriers --------------------------------------------------------------------------------- */

static int read_wait(struct dbl_acquire_spec *spec, const struct dblock_barrier_options *options,
		     const struct dbl_env *env, struct dblock_error *err)
{
	struct dblock_barrier_options o;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_BARRIER_OPTIONS", err);

	if (rc)
		return rc;
	spec->canceled = o.canceled;
	spec->canceled_arg = o.canceled_arg;
	return dbl_wait_read(spec, o.wait_ms, env, err);
}

int dblock_barrier_enter(struct dblock_client *client, const char *name, int64_t parties,
			 const struct dblock_barrier_options *options,
			 struct dblock_barrier **barrier, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	char full[DBL_NAME_MAX + 1];
	struct dbl_acquire_spec spec = {.name = full};
	int rc = read_name(client, BARRIER, name, full, &heard);

	if (!barrier)
		return dbl_fail(err, DBLOCK_E_INVALID, "barrier is NULL");
	*barrier = NULL;
	if (rc == 0)
		rc = check_number("parties", parties, 1, DBLOCK_PARTIES_MAX, &heard);
	if (rc == 0)
		rc = read_wait(&spec, options, client->target.env, &heard);
	if (rc == 0)
		rc = dbl_wait_told(
			&spec, dbl_barrier_enter(client->locks, &spec, parties, barrier, &heard),
			&heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_barrier_leave(struct dblock_barrier *barrier,
			 const struct dblock_barrier_options *options, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_acquire_spec spec = {.name = barrier ? barrier->name : NULL};
	int rc = barrier ? dbl_lock_check(barrier->bell.lock, &heard)
			 : dbl_fail(&heard, DBLOCK_E_INVALID, "barrier is NULL");

	if (rc == 0)
		rc = read_wait(&spec, options, barrier->bell.locks->env, &heard);
	if (rc == 0)
		rc = dbl_wait_told(&spec, dbl_barrier_leave(barrier, &spec, &heard), &heard);
	return dbl_tell(err, &heard, rc);
}
