/* SPDX-License-Identifier: MIT */
/* dblock run --rate 10/min NAME -- CMD: a command as often as a rate allows. No lock is held, so nobody has to stay: this
 * process becomes the command. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dblock/rate.h>

#include "cli/lock/take.h"
#include "cli/lock/wait_line.h"
#include "cli/run/run.h"

struct rate {
	int64_t rate, period_ms, burst;
};

/* ---- the option ------------------------------------------------------------------------------ */

/* Read decimal digits; *end is after them. False: there are none, or too many. */
static bool number(const char *text, int64_t *n, const char **end)
{
	size_t digits = strspn(text, "0123456789");

	*end = text + digits;
	*n = strtoll(text, NULL, 10);
	return digits > 0 && digits < 19;
}

/* A unit's name, or a duration; 0: it is neither. */
static int64_t period_ms(const char *text, size_t len)
{
	static const struct {
		const char *name;
		int64_t ms;
	} units[] = {{"s", 1000},      {"sec", 1000},     {"second", 1000}, {"m", 60000},
		     {"min", 60000},   {"minute", 60000}, {"h", 3600000},   {"hour", 3600000},
		     {"d", 86400000L}, {"day", 86400000L}};
	char copy[DBL_DURATION_TEXT];
	int64_t ms;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && strncmp(text, units[i].name, len) == 0)
			return units[i].ms;
	if (len >= sizeof(copy))
		return 0;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return dbl_duration_parse(copy, &ms) == DBL_DURATION_OK ? ms : 0;
}

/* Read N/PERIOD or N/PERIOD,burst=B. */
static bool read_rate(const char *text, struct rate *r)
{
	static const char word[] = ",burst=";
	const char *slash, *comma, *end;

	r->burst = 1;
	if (!number(text, &r->rate, &slash) || *slash != '/')
		return false;
	comma = strchr(slash, ',');
	end = comma ? comma : slash + strlen(slash);
	r->period_ms = period_ms(slash + 1, (size_t)(end - slash - 1));
	if (comma && (strncmp(comma, word, strlen(word)) != 0 ||
		      !number(comma + strlen(word), &r->burst, &end)))
		return false;
	return *end == '\0' && r->period_ms > 0;
}

/* Options of `run` that are about the lock; `ttl_ms` is its default. */
static const char *about_a_lock(const struct dbl_run_options *o, int64_t ttl_ms)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {{"--also", o->take.also.n > 0},
		       {"--any", o->take.any.n > 0},
		       {"--tree", o->take.tree},
		       {"--once", o->take.slot},
		       {"--exclusive", o->take.exclusive},
		       {"--shared", o->take.shared},
		       {"--update", o->take.update},
		       {"--permits", o->take.permits},
		       {"--unfair", o->take.unfair},
		       {"--lease", o->take.how.lease_ms},
		       {"--at-least", o->take.how.at_least_ms},
		       {"--value", o->take.how.value},
		       {"--settle", o->take.how.settle_ms},
		       {"--park", o->take.park},
		       {"--ttl", o->ttl_ms != ttl_ms},
		       {"--kill-after", o->kill_after_ms >= 0},
		       {"--on-request", o->on_request},
		       {"--close", o->close}};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

int dbl_run_rate_check(const struct dbl_cli *cli, const struct dbl_run_options *o, int64_t ttl_ms)
{
	const char *other = about_a_lock(o, ttl_ms);
	struct rate r;

	if (other)
		return dbl_cli_usage(cli,
				     "--rate and %s do not go together: with --rate no lock is "
				     "held; for both let one run be the other's command",
				     other);
	if (dbl_cli_is_cluster(cli))
		return dbl_cli_usage(cli, "--rate: several URLs: a rate is in one database");
	if (!read_rate(o->rate, &r))
		return dbl_cli_usage(cli,
				     "--rate: '%s' is not N/PERIOD, as in 10/min, 5/s, 100/15m or "
				     "1/day, or N/PERIOD,burst=B",
				     o->rate);
	return DBL_EXIT_OK;
}

/* ---- taking one ------------------------------------------------------------------------------ */

/* A person sees that it waits, and for how long. */
static void tell_wait(const struct dbl_cli *cli, const char *name, int64_t us)
{
	char text[DBL_DURATION_TEXT];

	dbl_duration_text(us / 1000, text);
	dbl_cli_note(cli, "the rate '%s' is used up: waits %s for its turn", name, text);
}

static int take(const struct dbl_cli *cli, const char *name, const struct rate *r,
		const struct dbl_take *by, struct dbl_signals *signals, struct dblock_error *err)
{
	struct dblock_rate_options how = DBLOCK_RATE_OPTIONS_INIT;
	struct dblock_rate_state state = DBLOCK_RATE_STATE_INIT;
	bool waits = !by->nonblock && by->wait_ms != 0;
	int rc = DBLOCK_BUSY;

	how.period_ms = r->period_ms;
	how.canceled = dbl_signals_pending;
	how.canceled_arg = signals;
	if (!waits || dbl_wait_line_wanted(cli))
		rc = dblock_rate_take(cli->client, name, r->rate, r->burst, 1, &how, &state, err);
	if (!waits || rc == DBLOCK_OK)
		return rc;
	if (state.retry_us > 0)
		tell_wait(cli, name, state.retry_us);
	how.wait_ms = by->wait_ms < 0 ? DBLOCK_FOREVER : by->wait_ms;
	return dblock_rate_take(cli->client, name, r->rate, r->burst, 1, &how, NULL, err);
}

/* Take one; false: this has said why not, and *code is the exit code, which -E may have made 0. */
static bool enter(struct dbl_cli *cli, const struct dbl_run_options *o, struct dbl_signals *signals,
		  int *code)
{
	const char *name = cli->words.word[0];
	struct dbl_take by = o->take;
	int64_t began = dbl_now_us(), us;
	struct rate r;
	int rc;

	(void)read_rate(o->rate, &r);
	by.alive_fd = -1;
	if (!dbl_enter(cli, o->ttl_ms, &by, signals, &cli->client, code))
		return false;
	rc = take(cli, name, &r, &by, signals, &cli->err);
	us = dbl_now_us() - began;
	dbl_cli_close(cli);
	if (dbl_signals_pending(signals)) {
		*code = DBL_EXIT_SIGNAL + signals->caught;
		return false;
	}
	if (rc == DBLOCK_OK && o->take.verbose)
		dbl_cli_error(cli, "rate '%s' allowed it after %" PRId64 ".%06" PRId64 " s", name,
			      us / 1000000, us % 1000000);
	*code = dbl_cli_ended(cli, rc, &cli->err);
	if (rc == DBLOCK_BUSY || rc == DBLOCK_TIMEOUT)
		*code = (int)o->take.busy;
	return rc == DBLOCK_OK;
}

int dbl_run_rate(struct dbl_cli *cli, char *const *command)
{
	const struct dbl_run_options *o = cli->options;
	struct dbl_signals signals;
	int code;

	dbl_signals_block(&signals);
	if (!enter(cli, o, &signals, &code))
		return dbl_signals_end(&signals, code);
	if (dbl_cli_set_place(cli) || setenv("DBLOCK_NAME", cli->words.word[0], 1))
		return dbl_cli_ended(cli, DBLOCK_E_NOMEM, &cli->err);
	sigprocmask(SIG_SETMASK, &signals.original, NULL);
	execvp(command[0], command);
	code = errno == ENOENT ? DBL_EXIT_NOT_FOUND : DBL_EXIT_CANNOT_RUN;
	dbl_cli_error(cli, "'%s' cannot be executed: %s", command[0], strerror(errno));
	return code;
}
