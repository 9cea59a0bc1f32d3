/* SPDX-License-Identifier: MIT */
#include <dblock/rate.h>

#include "api/client.h"
#include "lock/core/name.h"
#include "lock/rate/rate.h"

#define PERIOD_DEFAULT_MS 1000
#define SPAN_MAX_NS       (DBLOCK_RATE_SPAN_MAX_MS * 1000000)

static int check_count(const char *what, int64_t n, int64_t most, struct dblock_error *err)
{
	if (n >= 1 && n <= most)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID, "%s is %lld; it must be between 1 and %lld", what,
			(long long)n, (long long)most);
}

/* Read a call's numbers. */
static int read_rate(struct dbl_rate *r, int64_t rate, int64_t period_ms, int64_t burst, int64_t n,
		     struct dblock_error *err)
{
	int rc = check_count("period_ms", period_ms, DBLOCK_RATE_PERIOD_MAX_MS, err);

	if (rc == 0) /* at most so many in a second, and so in a whole period */
		rc = check_count("rate", rate,
				 dbl_least(DBLOCK_RATE_MAX, DBLOCK_RATE_MAX / 1000 * period_ms),
				 err);
	if (rc == 0)
		rc = check_count("burst", burst, DBLOCK_RATE_MAX, err);
	if (rc == 0)
		rc = check_count("n", n, burst, err);
	if (rc)
		return rc;
	*r = (struct dbl_rate){.gcra = {rate, period_ms}, .burst = burst};
	r->full = dbl_gcra_cost(&r->gcra, burst);
	r->cost = dbl_gcra_cost(&r->gcra, n);
	if (r->full <= SPAN_MAX_NS)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"burst is %lld: at %lld in %lld ms that many take longer than %lld ms",
			(long long)burst, (long long)rate, (long long)period_ms,
			(long long)DBLOCK_RATE_SPAN_MAX_MS);
}

static int read_options(struct dblock_rate_options *o, const struct dblock_rate_options *given,
			struct dblock_error *err)
{
	int rc = dbl_options_read(o, sizeof(*o), given, "DBLOCK_RATE_OPTIONS", err);

	if (o->period_ms == 0)
		o->period_ms = PERIOD_DEFAULT_MS;
	if (o->wait_ms == 0)
		o->wait_ms = DBLOCK_NO_WAIT;
	return rc ? rc : dbl_wait_ms_read(&o->wait_ms, err);
}

int dblock_rate_take(struct dblock_client *client, const char *name, int64_t rate, int64_t burst,
		     int64_t n, const struct dblock_rate_options *options,
		     struct dblock_rate_state *state, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_rate_state found = DBLOCK_RATE_STATE_INIT;
	struct dbl_acquire_spec spec = {.name = name};
	struct dblock_rate_options o;
	struct dbl_rate r;
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = dbl_name_check(name, &heard);
	if (rc == 0)
		rc = read_options(&o, options, &heard);
	if (rc == 0)
		rc = read_rate(&r, rate, o.period_ms, burst, n, &heard);
	if (rc == 0 && state)
		rc = dbl_out_check(state, "DBLOCK_RATE_STATE", &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	spec.tries = o.wait_ms < 0;
	spec.wait_until = dbl_now(client->locks->env);
	if (!spec.tries)
		spec.wait_until = dbl_add(spec.wait_until, dbl_ms(o.wait_ms));
	spec.canceled = o.canceled;
	spec.canceled_arg = o.canceled_arg;
	rc = dbl_rate_take(client->locks, &spec, &r, &found, &heard);
	if (state && (rc == 0 || rc == DBLOCK_BUSY || rc == DBLOCK_TIMEOUT))
		dbl_out_write(state, &found, sizeof(found));
	return dbl_tell(err, &heard, rc);
}

int dblock_rate_list(struct dblock_client *client, dblock_rate_cb *found, void *arg,
		     struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = dbl_rate_list(client->locks, found, arg, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_rate_reset(struct dblock_client *client, const char *name, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = dbl_name_check(name, &heard);
	if (rc == 0)
		rc = dbl_rate_reset(client->locks, name, &heard);
	return dbl_tell(err, &heard, rc);
}
