/* SPDX-License-Identifier: MIT */
#include <dblock/fence.h>

#include "api/tx.h"
#include "lock/core/timed.h"
#include "lock/tx/fence.h"
#include "lock/tx/in_tx.h"

static int check_locks(struct dblock_lock *const *locks, size_t n, struct dblock_error *err)
{
	int rc = locks && n ? 0 : dbl_fail(err, DBLOCK_E_INVALID, "no lock is given");

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = dbl_lock_check_single(locks[i], err);
	return rc;
}

int dblock_fence_all(struct dblock_tx *tx, struct dblock_lock *const *locks, size_t n,
		     const struct dblock_fence_options *options, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_fence_options o;
	int rc = dbl_tx_check(tx, &heard);

	if (rc == 0)
		rc = check_locks(locks, n, &heard);
	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_FENCE_OPTIONS", &heard);
	if (rc == 0)
		rc = dbl_fence(tx, locks, n, o.to_release, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_fence(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	return dblock_fence_all(tx, &lock, 1, NULL, err);
}

int dblock_fence_to_release(struct dblock_tx *tx, struct dblock_lock *lock,
			    struct dblock_error *err)
{
	struct dblock_fence_options options = DBLOCK_FENCE_OPTIONS_INIT;

	options.to_release = true;
	return dblock_fence_all(tx, &lock, 1, &options, err);
}

int dblock_tx_release(struct dblock_tx *tx, struct dblock_lock *lock, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_tx_check(tx, &heard);

	if (rc == 0)
		rc = dbl_lock_check_single(lock, &heard);
	if (rc == 0)
		rc = dbl_release_in(tx, lock, &heard);
	return dbl_tell(err, &heard, rc);
}

static int read_spec(struct dbl_acquire_spec *spec, struct dblock_tx *tx,
		     struct dblock_client *client, const char *name,
		     const struct dblock_acquire_options *options, bool tries,
		     struct dblock_error *err)
{
	int rc = dbl_tx_check(tx, err);

	if (rc == 0)
		rc = dbl_spec_read(spec, client, name, options, err);
	spec->tries = tries || spec->wait_until == 0;
	return rc;
}

/* What is granted counts as that, whatever becomes of the transaction. */
static void acquired_in(struct dblock_client *client, const struct dbl_acquire_spec *spec,
			int64_t began, int64_t token, int rc)
{
	struct dbl_span span = {.phase = spec->tries ? DBLOCK_PHASE_TRY : DBLOCK_PHASE_ACQUIRE,
				.name = spec->name,
				.token = token,
				.outcome = rc,
				.began = began};

	dbl_timed_acquire(client->locks, &span, false);
}

static int acquire_in(struct dblock_tx *tx, struct dblock_client *client, const char *name,
		      const struct dblock_acquire_options *options, bool tries,
		      struct dblock_lock **lock, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_acquire_spec spec;
	int rc;

	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	rc = read_spec(&spec, tx, client, name, options, tries, &heard);
	if (rc == 0) {
		int64_t began = dbl_now(client->target.env);

		rc = dbl_acquire_in(tx, client->locks, &spec, lock, &heard);
		acquired_in(client, &spec, began, *lock ? (*lock)->grant.token : 0, rc);
	}
	return dbl_tell(err, &heard, rc);
}

int dblock_tx_acquire(struct dblock_tx *tx, struct dblock_client *client, const char *name,
		      const struct dblock_acquire_options *options, struct dblock_lock **lock,
		      struct dblock_error *err)
{
	return acquire_in(tx, client, name, options, false, lock, err);
}

int dblock_tx_try(struct dblock_tx *tx, struct dblock_client *client, const char *name,
		  const struct dblock_acquire_options *options, struct dblock_lock **lock,
		  struct dblock_error *err)
{
	return acquire_in(tx, client, name, options, true, lock, err);
}

static int tx_lock(struct dblock_tx *tx, struct dblock_client *client, const char *name,
		   const struct dblock_acquire_options *options, bool tries, int64_t *token,
		   struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_acquire_spec spec;
	int64_t got = 0;
	int rc = read_spec(&spec, tx, client, name, options, tries, &heard);

	if (rc == 0) {
		int64_t began = dbl_now(client->target.env);

		rc = dbl_tx_lock(tx, client->locks, &spec, &got, &heard);
		acquired_in(client, &spec, began, got, rc);
	}
	if (token)
		*token = got;
	return dbl_tell(err, &heard, rc);
}

int dblock_tx_lock(struct dblock_tx *tx, struct dblock_client *client, const char *name,
		   const struct dblock_acquire_options *options, int64_t *token,
		   struct dblock_error *err)
{
	return tx_lock(tx, client, name, options, false, token, err);
}

int dblock_tx_try_lock(struct dblock_tx *tx, struct dblock_client *client, const char *name,
		       int64_t *token, struct dblock_error *err)
{
	return tx_lock(tx, client, name, NULL, true, token, err);
}
