/* SPDX-License-Identifier: MIT */
#include "driver/hosts.h"

#include <string.h>

/* Enough for TLS and a login over a long line. */
#define LEAST_SHARE_US 500000

/* So much of what each host says is shown. */
enum { SHOWN = 250 };

/* The end of the next try, with so many to come. */
static int64_t end_of_try(const struct dbl_hosts *hosts, unsigned left)
{
	int64_t now = dbl_now(hosts->env), share = (hosts->deadline - now) / left;

	if (hosts->each)
		share = hosts->each;
	else if (share < LEAST_SHARE_US)
		share = LEAST_SHARE_US;
	return dbl_least(hosts->deadline, dbl_add(now, share));
}

static bool may_pass(int rc)
{
	return rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_NO_ANSWER;
}

/* The outcome of several hosts together; 0: there was none yet. One that lacks the database, or is
 * too old, says nothing of the others. */
static int together(int all, int rc)
{
	if (all == 0 || all == rc)
		return rc;
	if (may_pass(all) || may_pass(rc))
		return DBLOCK_E_UNAVAILABLE;
	return all == DBLOCK_E_INVALID ? rc : all;
}

/* Add what one host said, whole characters of it. */
static void tell(struct dblock_error *all, const struct dblock_error *one)
{
	int len = (int)strnlen(one->message, SHOWN);

	while (len == SHOWN && len > 0 && ((unsigned char)one->message[len] & 0xC0) == 0x80)
		len--;
	dbl_err_suffix(all, "%s%.*s", *all->message ? "; " : "", len, one->message);
}

static bool is_final(int rc)
{
	return rc == 0 || rc == DBLOCK_E_NOMEM;
}

static int open_any(const struct dbl_hosts *hosts, struct dblock_error *all)
{
	unsigned first = hosts->good ? *hosts->good % hosts->n : 0, tried = 0, host = first;
	int outcome = 0;

	do {
		struct dblock_error one = {0};
		int rc = hosts->open(hosts->ctx, host, end_of_try(hosts, hosts->n - tried), &one);

		if (is_final(rc)) {
			*all = one;
			outcome = rc;
			break;
		}
		outcome = together(outcome, rc);
		tell(all, &one);
		host = (first + ++tried) % hosts->n;
	} while (tried < hosts->n && dbl_now(hosts->env) < hosts->deadline);
	/* If one was silent until the deadline, the next attempt begins behind it. */
	if (hosts->good)
		*hosts->good = host;
	return outcome;
}

int dbl_hosts_open(const struct dbl_hosts *hosts, struct dblock_error *err)
{
	struct dblock_error all = {0};
	unsigned only = hosts->n == 1 ? 1 : hosts->only;
	int rc = only ? hosts->open(hosts->ctx, only - 1, end_of_try(hosts, 1), &all)
		      : open_any(hosts, &all);

	if (rc == DBLOCK_E_NO_ANSWER && dbl_now(hosts->env) < hosts->deadline)
		rc = DBLOCK_E_UNAVAILABLE;
	all.code = rc;
	if (err && rc)
		*err = all;
	return rc;
}
