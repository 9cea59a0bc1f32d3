/* SPDX-License-Identifier: MIT */
#include <dblock/handoff.h>

#include "api/client.h"
#include "lock/grant/handoff.h"

int dblock_handoff_offer(struct dblock_lock *lock, char *ticket, struct dblock_error *err)
{
	int rc = dbl_lock_check_single(lock, err);

	if (rc == 0 && !ticket)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "ticket is NULL");
	return rc ? rc : dbl_lock_offer(lock, ticket, err);
}

int dblock_handoff_wait(struct dblock_lock *lock, int64_t wait_ms, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_acquire_spec spec = {.wait_until = 0};
	int rc = dbl_lock_check_single(lock, &heard);

	if (rc == 0)
		rc = dbl_wait_read(&spec, wait_ms, lock->locks->env, &heard);
	if (rc == 0)
		rc = dbl_lock_await_acceptance(lock, spec.wait_until, &heard);
	return dbl_tell(err, &heard, rc);
}

/* An accepted lock is held as its ticket says: exclusively, with its session. Nobody waits for it. */
static int check_options(const struct dblock_acquire_options *given, struct dblock_error *err)
{
	struct dblock_acquire_options o;
	int rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_ACQUIRE_OPTIONS", err);

	if (rc)
		return rc;
	if (o.mode == DBLOCK_EXCLUSIVE && !o.lease_ms && !o.at_least_ms && !o.idle_ms &&
	    !o.unfair && !o.wait_ms && !o.deadlock_ms && !o.canceled && !o.waiting &&
	    !o.waiting_every_ms)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"a lock is accepted as it is held: of the options only owner, value, "
			"settle_ms, lost and release_requested apply");
}

int dblock_handoff_accept(struct dblock_client *client, const char *ticket,
			  const struct dblock_acquire_options *options, struct dblock_lock **lock,
			  struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_acquire_spec spec;
	const char *name;
	int64_t nonce;
	int rc;

	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	name = ticket ? dbl_ticket_read(ticket, &nonce) : NULL;
	if (!name)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"ticket %s; dblock_handoff_offer() makes one",
				ticket ? "is none" : "is NULL");
	rc = dbl_spec_read(&spec, client, name, options, &heard);
	if (rc == 0)
		rc = check_options(options, &heard);
	if (rc == 0)
		rc = dbl_lock_accept(client->locks, &spec, nonce, lock, &heard);
	return dbl_tell(err, &heard, rc);
}
