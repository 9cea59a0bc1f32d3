/* SPDX-License-Identifier: MIT */
#include "take.h"

#include "exits.h"
#include "wait_line.h"

static struct dblock_acquire_options options(const struct dbl_take *take,
					     struct dbl_signals *signals)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = take->wait_ms > 0 ? take->wait_ms : 0;
	options.lease_ms = take->lease_ms;
	options.at_least_ms = take->at_least_ms;
	options.value = take->value;
	options.barge = take->barge;
	options.requested = take->requested;
	options.requested_arg = take->requested_arg;
	options.canceled = dbl_signals_pending;
	options.canceled_arg = signals;
	return options;
}

bool dbl_take(const struct dbl_cli *cli, struct dblock_client *client, const char *name,
	      const struct dbl_take *take, struct dbl_signals *signals, struct dblock_lock **lock,
	      int *code)
{
	struct dblock_acquire_options o = options(take, signals);
	struct dbl_wait_line line = {.cli = cli};
	struct dblock_error err = {0};
	int rc;

	if (dbl_wait_line_wanted(cli)) {
		o.waiting = dbl_wait_line_show;
		o.waiting_arg = &line;
	}
	if (take->nonblock || take->wait_ms == 0)
		rc = dblock_try(client, name, &o, lock, &err);
	else
		rc = dblock_acquire(client, name, &o, lock, &err);
	dbl_wait_line_clear(&line);
	/* A signal that came just before, or just after the grant: nothing has been begun. */
	if (dbl_signals_pending(signals)) {
		if (rc == DBLOCK_OK)
			dblock_release(*lock, NULL);
		*code = DBL_EXIT_SIGNAL + signals->caught;
		return false;
	}
	if (rc == DBLOCK_OK)
		return true;
	dbl_cli_failed(cli, rc, &err);
	*code = rc > 0 ? (int)take->busy : dbl_exit_for(rc);
	return false;
}
