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
	options.canceled = dbl_signals_pending;
	options.canceled_arg = signals;
	return options;
}

static void tell_trouble(void *arg, const struct dblock_error *why)
{
	struct dbl_wait_line *line = arg;

	dbl_wait_line_clear(line);
	dbl_cli_error(line->cli, "%s; the campaign goes on", why->message);
}

/* With the same options, as far as a campaign has them. */
static int campaign(struct dblock_client *client, const char *name,
		    const struct dblock_acquire_options *o, struct dbl_wait_line *line,
		    struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_elect_options how = DBLOCK_ELECT_OPTIONS_INIT;

	how.value = o->value;
	how.wait_ms = o->wait_ms;
	how.canceled = o->canceled;
	how.canceled_arg = o->canceled_arg;
	how.waiting = o->waiting;
	how.waiting_arg = o->waiting_arg;
	how.trouble = tell_trouble;
	how.trouble_arg = line;
	return dblock_elect(client, name, &how, lock, err);
}

static int take(struct dblock_client *client, const char *name, const struct dbl_take *take,
		const struct dblock_acquire_options *o, struct dblock_lock **lock,
		struct dblock_error *err)
{
	bool at_once = take->nonblock || take->wait_ms == 0;

	if (take->slot)
		return (at_once ? dblock_once_try : dblock_once)(client, name, take->slot, o, lock,
								 err);
	return (at_once ? dblock_try : dblock_acquire)(client, name, o, lock, err);
}

bool dbl_take(const struct dbl_cli *cli, struct dblock_client *client, const char *name,
	      const struct dbl_take *how, struct dbl_signals *signals, struct dblock_lock **lock,
	      int *code)
{
	struct dblock_acquire_options o = options(how, signals);
	struct dbl_wait_line line = {.cli = cli};
	struct dblock_error err = {0};
	int rc;

	if (dbl_wait_line_wanted(cli)) {
		o.waiting = dbl_wait_line_show;
		o.waiting_arg = &line;
	}
	rc = how->campaign ? campaign(client, name, &o, &line, lock, &err)
			   : take(client, name, how, &o, lock, &err);
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
	*code = rc > 0 && rc != DBLOCK_DONE ? (int)how->busy : dbl_exit_for(rc);
	return false;
}
