/* SPDX-License-Identifier: MIT */
#include "cli/lock/take.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/print.h"

enum { PAUSE_MIN_MS = 100, PAUSE_MAX_MS = 2000 };

/* Has the server no connection left, for anybody or for our user? Or do so many connect at this moment
 * that its local socket takes no more (EAGAIN; of MySQL's clients 2002, and 11 in their words, not 111)? */
static bool is_full(const struct dblock_error *err)
{
	if (err->code != DBLOCK_E_UNAVAILABLE)
		return false;
	return strcmp(err->sqlstate, "53300") == 0 || err->native == 1040 || err->native == 1203 ||
	       err->native == 1226 || err->native == EAGAIN ||
	       (err->native == 2002 &&
		(strstr(err->message, "(11)") || strstr(err->message, "(11 ")));
}

/* Pause before another try: each pause is twice as long, and differs between processes that came
 * together. False: no time is left, or a signal came. */
static bool rest(struct dbl_signals *signals, int tries, int64_t left_ms)
{
	int64_t ms = tries < 5 ? PAUSE_MIN_MS << tries : PAUSE_MAX_MS;

	ms = ms * (75 + getpid() % 50) / 100;
	return left_ms > 0 && !dbl_signals_wait(signals, ms < left_ms ? ms : left_ms);
}

bool dbl_enter(const struct dbl_cli *cli, int64_t ttl_ms, struct dbl_take *take,
	       struct dbl_signals *signals, struct dblock_client **client, int *code)
{
	bool waits = !take->nonblock && take->wait_ms != 0;
	int64_t end = take->wait_ms < 0 ? INT64_MAX : dbl_now_us() + take->wait_ms * 1000;
	struct dblock_client_options options = dbl_cli_options(cli);
	struct dblock_tuning tuning = DBLOCK_TUNING_INIT;
	struct dblock_error err = {0};

	options.ttl_ms = ttl_ms;
	options.alive_fd = take->alive_fd;
	tuning.connections = 1;
	tuning.park = take->park;
	options.tuning = &tuning;
	options.app = take->nested ? take->nested->app : NULL;
	*code = dbl_cli_need_url(cli);
	if (*code != DBL_EXIT_OK)
		return false;
	for (int tries = 0;; tries++) {
		int rc = dbl_cli_try_open(cli, &options, client, &err);
		int64_t left_ms = (end - dbl_now_us()) / 1000;

		if (rc == DBLOCK_OK && tries > 0 && take->wait_ms > 0)
			take->wait_ms = left_ms > 0 ? left_ms : 0;
		if (rc == DBLOCK_OK)
			return true;
		if (waits && is_full(&err) && tries == 0)
			dbl_cli_note(cli, "%s; goes on trying", err.message);
		if (waits && is_full(&err) && rest(signals, tries, left_ms))
			continue;
		*code = signals->caught ? DBL_EXIT_SIGNAL + signals->caught
					: dbl_cli_not_opened(cli, rc, &err);
		return false;
	}
}
