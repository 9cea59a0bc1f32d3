/* SPDX-License-Identifier: MIT */
#include <dblock/metrics.h>

#include "api/client.h"
#include "lock/admin/metrics.h"

/* The caller's callbacks and their arguments. */
struct audience {
	dblock_metric_cb *found;
	void *arg;
	int rc; /* what the callback returned; then it is called no more */
	void (*unseen)(void *arg, const char *what, const struct dblock_error *why);
	void *unseen_arg;
};

static const char *const held_names[] = {
	[DBL_HELD_SESSION] = "session", [DBL_HELD_LEASE] = "lease",     [DBL_HELD_REST] = "minimum",
	[DBL_HELD_DEAD] = "dead",       [DBL_HELD_MISSING] = "missing",
};

static const char *const life_names[] = {
	[DBL_LIFE_ALIVE] = "alive",
	[DBL_LIFE_LATE] = "late",
	[DBL_LIFE_DEAD] = "dead",
	[DBL_LIFE_MISSING] = "missing",
};

static void give(struct audience *audience, const struct dblock_metric *stat)
{
	if (audience->rc == 0)
		audience->rc = audience->found(audience->arg, stat);
}

/* A number of this kind; state and name may be NULL. */
static void give_one(struct audience *audience, enum dblock_metric_kind kind, const char *state,
		     const char *name, int64_t value)
{
	give(audience, &(struct dblock_metric){.size = sizeof(struct dblock_metric),
					       .kind = kind,
					       .state = state ? state : "",
					       .name = name ? name : "",
					       .value = value});
}

static void give_grants(struct audience *audience, const struct dbl_metrics *metrics)
{
	for (int mode = 0; mode < DBL_METRICS_MODES; mode++)
		for (int held = 0; held < DBL_HELD_COUNT; held++)
			give(audience,
			     &(struct dblock_metric){.size = sizeof(struct dblock_metric),
						     .kind = DBLOCK_METRIC_GRANTS,
						     .state = held_names[held],
						     .name = "",
						     .mode = (enum dblock_mode)mode,
						     .value = metrics->grants[mode][held]});
	give_one(audience, DBLOCK_METRIC_OLDEST_HOLD_US, NULL, NULL, metrics->oldest_hold);
}

static void give_waiters(struct audience *audience, const struct dbl_metrics *metrics)
{
	for (int life = 0; life < DBL_LIFE_COUNT; life++)
		give_one(audience, DBLOCK_METRIC_WAITERS, life_names[life], NULL,
			 metrics->waiters[life]);
	give_one(audience, DBLOCK_METRIC_OLDEST_WAIT_US, NULL, NULL, metrics->oldest_wait);
}

static void give_sessions(struct audience *audience, const struct dbl_metrics *metrics)
{
	for (int life = 0; life < DBL_LIFE_MISSING; life++)
		give_one(audience, DBLOCK_METRIC_SESSIONS, life_names[life], NULL,
			 metrics->sessions[life]);
	if (!metrics->beats)
		return;
	give_one(audience, DBLOCK_METRIC_LAST_HEARTBEAT_US, NULL, NULL, metrics->last_beat);
	give_one(audience, DBLOCK_METRIC_OLDEST_HEARTBEAT_US, NULL, NULL, metrics->oldest_beat);
}

static void give_tables(struct audience *audience, const struct dbl_metrics *metrics)
{
	if (metrics->seen[DBL_METRICS_VERSION])
		give_one(audience, DBLOCK_METRIC_TABLES_VERSION, NULL, NULL, metrics->version);
	for (size_t i = 0; i < metrics->n_rows; i++)
		give_one(audience, DBLOCK_METRIC_ROWS, NULL, metrics->rows[i].name,
			 metrics->rows[i].n);
	for (size_t i = 0; i < metrics->n_bytes; i++)
		give_one(audience, DBLOCK_METRIC_BYTES, NULL, metrics->bytes[i].name,
			 metrics->bytes[i].n);
}

static void give_topics(struct audience *audience, const struct dbl_metrics *metrics)
{
	for (size_t i = 0; i < metrics->n_topics; i++) {
		const struct dbl_metrics_topic *t = &metrics->topics[i];

		give_one(audience, DBLOCK_METRIC_TOPIC_MESSAGES, NULL, t->name, t->messages);
		give_one(audience, DBLOCK_METRIC_TOPIC_OLDEST_US, NULL, t->name, t->oldest);
		give_one(audience, DBLOCK_METRIC_TOPIC_FAILING, NULL, t->name, t->failing);
		give_one(audience, DBLOCK_METRIC_TOPIC_PARKED, NULL, t->name, t->parked);
	}
}

static void give_names(struct audience *audience, const struct dbl_metrics *metrics)
{
	for (size_t i = 0; i < metrics->n_names; i++) {
		const struct dbl_metrics_name *name = &metrics->names[i];

		give_one(audience, DBLOCK_METRIC_NAME_WAITERS, NULL, name->name, name->waiting);
		give_one(audience, DBLOCK_METRIC_NAME_OLDEST_WAIT_US, NULL, name->name,
			 name->oldest);
	}
}

static int give_all(struct audience *audience, const struct dbl_metrics *metrics)
{
	if (metrics->seen[DBL_METRICS_GRANTS])
		give_grants(audience, metrics);
	if (metrics->seen[DBL_METRICS_WAITERS])
		give_waiters(audience, metrics);
	if (metrics->seen[DBL_METRICS_SESSIONS])
		give_sessions(audience, metrics);
	give_tables(audience, metrics);
	give_topics(audience, metrics);
	give_names(audience, metrics);
	return audience->rc;
}

static void tell_unseen(void *ctx, const char *what, const struct dblock_error *why)
{
	const struct audience *audience = ctx;

	if (audience->unseen)
		audience->unseen(audience->unseen_arg, what, why);
}

static int read_options(struct dbl_metrics *metrics, struct audience *audience,
			const struct dblock_metrics_options *options, struct dblock_error *err)
{
	struct dblock_metrics_options o;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_METRICS_OPTIONS", err);

	if (rc == 0 && (o.names < 0 || o.names > DBLOCK_METRICS_NAMES_MAX))
		rc = dbl_fail(err, DBLOCK_E_INVALID, "names is %lld; it must be from 0 to %d",
			      (long long)o.names, DBLOCK_METRICS_NAMES_MAX);
	if (rc)
		return rc;
	metrics->names_wanted = o.names;
	audience->unseen = o.unseen;
	audience->unseen_arg = o.unseen_arg;
	return 0;
}

int dblock_metrics(struct dblock_client *client, const struct dblock_metrics_options *options,
		   dblock_metric_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct audience audience = {.found = found, .arg = arg};
	struct dbl_metrics metrics = {.names_wanted = 0};
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = read_options(&metrics, &audience, options, &heard);
	if (rc == 0)
		rc = dbl_metrics_read(client->locks, &metrics, tell_unseen, &audience, &heard);
	if (rc == 0)
		rc = give_all(&audience, &metrics);
	dbl_metrics_free(&metrics);
	return dbl_tell(err, &heard, rc);
}
