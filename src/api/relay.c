/* SPDX-License-Identifier: MIT */
#include "outbox/relay.h"

#include "api/client.h"
#include "api/message.h"

#define TRIES_DEFAULT        10
#define TRIES_MAX            1000
#define PAUSE_DEFAULT_MS     1000
#define PAUSE_MAX_DEFAULT_MS (5 * 60 * 1000LL)
#define BATCH_DEFAULT        100
#define BATCH_MAX            1000
#define RATE_MAX             1000000
#define POLL_MIN_MS          1000

static int read_number(int64_t *to, const char *what, int64_t given, int64_t most,
		       int64_t otherwise, struct dblock_error *err)
{
	*to = given ? given : otherwise;
	if (given >= 0 && given <= most)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID, "%s is %lld; it is 1 to %lld, or 0: the default",
			what, (long long)given, (long long)most);
}

static int read_times(struct dbl_relay_spec *spec, const struct dblock_relay_options *o,
		      struct dblock_error *err)
{
	int64_t least;
	int rc = dbl_time_read(&spec->pause, "pause_ms", o->pause_ms, 1, DBLOCK_TIMEOUT_MAX_MS,
			       PAUSE_DEFAULT_MS, err);

	least = spec->pause / 1000;
	if (rc == 0)
		rc = dbl_time_read(&spec->pause_max, "pause_max_ms", o->pause_max_ms, least,
				   DBLOCK_TIMEOUT_MAX_MS,
				   least > PAUSE_MAX_DEFAULT_MS ? least : PAUSE_MAX_DEFAULT_MS,
				   err);
	if (rc == 0)
		rc = dbl_time_read(&spec->poll, "poll_ms", o->poll_ms, POLL_MIN_MS,
				   DBLOCK_TIMEOUT_MAX_MS, POLL_MIN_MS, err);
	return rc;
}

static int read_options(struct dbl_relay_spec *spec, const struct dblock_relay_options *given,
			struct dblock_error *err)
{
	struct dblock_relay_options o;
	int64_t rate = 0;
	int rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_RELAY_OPTIONS", err);

	if (rc == 0)
		rc = read_times(spec, &o, err);
	if (rc == 0)
		rc = read_number(&spec->tries, "tries", o.tries, TRIES_MAX, TRIES_DEFAULT, err);
	if (rc == 0)
		rc = read_number(&spec->batch, "batch", o.batch, BATCH_MAX, BATCH_DEFAULT, err);
	if (rc == 0)
		rc = read_number(&rate, "rate", o.rate, RATE_MAX, 0, err);
	spec->every = rate ? 1000000 / rate : 0;
	spec->drain = o.drain;
	spec->canceled = o.canceled;
	spec->canceled_arg = o.canceled_arg;
	spec->failed = o.failed;
	spec->failed_arg = o.failed_arg;
	spec->trouble = o.trouble;
	spec->trouble_arg = o.trouble_arg;
	return rc;
}

int dblock_outbox_relay(struct dblock_client *client, const char *topic, dblock_deliver_cb *deliver,
			void *arg, const struct dblock_relay_options *options,
			struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_relay_spec spec = {.topic = topic, .deliver = deliver, .arg = arg};
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = dbl_topic_check(topic, &heard);
	if (rc == 0)
		rc = read_options(&spec, options, &heard);
	if (rc == 0 && !deliver)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "deliver is NULL");
	if (rc == 0)
		rc = dbl_outbox_relay(client->locks, &spec, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_outbox_ring(struct dblock_client *client, const char *topic, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = dbl_topic_check(topic, &heard);
	if (rc == 0)
		rc = dbl_outbox_ring(client->locks, topic, &heard);
	return dbl_tell(err, &heard, rc);
}
