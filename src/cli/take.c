/* SPDX-License-Identifier: MIT */
#include "take.h"

#include "exits.h"

static struct dblock_acquire_options options(const struct dbl_take *take,
					     struct dbl_signals *signals)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = take->wait_ms > 0 ? take->wait_ms : 0;
	options.lease_ms = take->lease_ms;
	options.at_least_ms = take->at_least_ms;
	options.value = take->value;
	options.canceled = dbl_signals_pending;
	options.canceled_arg = signals;
	return options;
}

int dbl_take(const struct dbl_cli *cli, struct dblock_client *client, const char *name,
	     const struct dbl_take *take, struct dbl_signals *signals, struct dblock_lock **lock)
{
	struct dblock_acquire_options o = options(take, signals);
	struct dblock_error err = {0};
	int rc;

	if (take->nonblock || take->wait_ms == 0)
		rc = dblock_try(client, name, &o, lock, &err);
	else
		rc = dblock_acquire(client, name, &o, lock, &err);
	/* A signal that came just before, or just after the grant: nothing has been begun. */
	if (dbl_signals_pending(signals)) {
		if (rc == DBLOCK_OK)
			dblock_release(*lock, NULL);
		return DBL_EXIT_SIGNAL + signals->caught;
	}
	if (rc == DBLOCK_OK)
		return DBL_EXIT_OK;
	dbl_cli_failed(cli, rc, &err);
	return rc > 0 ? (int)take->busy : dbl_exit_for(rc);
}
