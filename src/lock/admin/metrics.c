/* SPDX-License-Identifier: MIT */
/* Counts what there is, in the database: no row of a lock comes here. Nothing is written. */
#include "lock/admin/metrics.h"

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/value.h"

/* The clock may have been set back since. */
static void take_oldest(int64_t *oldest, int64_t age)
{
	if (age > *oldest)
		*oldest = age;
}

/* A number that a text of ours gives to one of `count` things. */
static size_t one_of(const struct dbl_value *value, size_t count)
{
	uint64_t i = (uint64_t)value->i;

	DBL_ASSERT(i < count, "%lld", (long long)value->i);
	return i < count ? (size_t)i : 0;
}

static int take_grants(void *ctx, const struct dbl_value *row)
{
	struct dbl_metrics *metrics = ctx;
	size_t mode = one_of(&row[0], DBL_METRICS_MODES), held = one_of(&row[1], DBL_HELD_COUNT);

	metrics->grants[mode][held] = row[2].i;
	if (held <= DBL_HELD_REST)
		take_oldest(&metrics->oldest_hold, row[3].i);
	return 0;
}

static int take_waiters(void *ctx, const struct dbl_value *row)
{
	struct dbl_metrics *metrics = ctx;
	size_t life = one_of(&row[0], DBL_LIFE_COUNT);

	metrics->waiters[life] = row[1].i;
	if (life <= DBL_LIFE_LATE)
		take_oldest(&metrics->oldest_wait, row[2].i);
	return 0;
}

static int take_sessions(void *ctx, const struct dbl_value *row)
{
	struct dbl_metrics *metrics = ctx;
	size_t life = one_of(&row[0], DBL_LIFE_MISSING);

	metrics->sessions[life] = row[1].i;
	if (life == DBL_LIFE_DEAD || row[2].type == DBL_NULL)
		return 0;
	if (!metrics->beats || row[2].i < metrics->last_beat)
		metrics->last_beat = row[2].i;
	if (!metrics->beats || row[3].i > metrics->oldest_beat)
		metrics->oldest_beat = row[3].i;
	metrics->beats = true;
	return 0;
}

static int take_version(void *ctx, const struct dbl_value *row)
{
	((struct dbl_metrics *)ctx)->version = row[0].i;
	return 0;
}

static void take_table(struct dbl_metrics_table *table, const struct dbl_value *row)
{
	dbl_copy_text(table->name, sizeof(table->name), &row[0]);
	table->n = dbl_int_or(&row[1], 0);
}

static int take_rows(void *ctx, const struct dbl_value *row)
{
	struct dbl_metrics *metrics = ctx;

	if (metrics->n_rows < DBL_METRICS_TABLES)
		take_table(&metrics->rows[metrics->n_rows++], row);
	return 0;
}

static int take_bytes(void *ctx, const struct dbl_value *row)
{
	struct dbl_metrics *metrics = ctx;

	if (metrics->n_bytes < DBL_METRICS_TABLES)
		take_table(&metrics->bytes[metrics->n_bytes++], row);
	return 0;
}

static int take_topic(void *ctx, const struct dbl_value *row)
{
	struct dbl_metrics *metrics = ctx;
	struct dbl_metrics_topic *topic = &metrics->topics[metrics->n_topics];

	if (metrics->n_topics == DBL_METRICS_TOPICS)
		return 0;
	*topic = (struct dbl_metrics_topic){
		.messages = row[1].i, .failing = row[3].i - row[4].i, .parked = row[4].i};
	dbl_copy_text(topic->name, sizeof(topic->name), &row[0]);
	take_oldest(&topic->oldest, row[5].i - row[2].i);
	metrics->n_topics++;
	return 0;
}

static int take_name(void *ctx, const struct dbl_value *row)
{
	struct dbl_metrics *metrics = ctx;
	struct dbl_metrics_name *name = &metrics->names[metrics->n_names];

	DBL_ASSERT((int64_t)metrics->n_names < metrics->names_wanted, "%zu", metrics->n_names);
	*name = (struct dbl_metrics_name){dbl_dup_text(&row[0]), row[1].i, 0};
	take_oldest(&name->oldest, row[2].i);
	if (!name->name)
		return DBLOCK_E_NOMEM;
	metrics->n_names++;
	return 0;
}

static const struct {
	enum dbl_op op;
	int (*take)(void *ctx, const struct dbl_value *row);
	const char *what;
} parts[DBL_METRICS_PARTS] = {
	[DBL_METRICS_GRANTS] = {DBL_OP_metrics_grants, take_grants, "grants"},
	[DBL_METRICS_WAITERS] = {DBL_OP_metrics_waiters, take_waiters, "waiters"},
	[DBL_METRICS_SESSIONS] = {DBL_OP_metrics_sessions, take_sessions, "sessions"},
	[DBL_METRICS_VERSION] = {DBL_OP_metrics_version, take_version, "the version of the tables"},
	[DBL_METRICS_ROWS] = {DBL_OP_metrics_rows, take_rows, "rows of the tables"},
	[DBL_METRICS_BYTES] = {DBL_OP_metrics_bytes, take_bytes, "sizes of the tables"},
	[DBL_METRICS_OUTBOX] = {DBL_OP_outbox_topics, take_topic, "messages to be delivered"},
	[DBL_METRICS_NAMES] = {DBL_OP_metrics_names, take_name, "names that are waited for"},
};

/* It cannot be read by this user, or by anybody: a SQLite without dbstat knows no sizes. */
static bool is_left_out(enum dbl_metrics_part part, int rc)
{
	return rc == DBLOCK_E_DENIED || (part == DBL_METRICS_BYTES && rc == DBLOCK_E_SCHEMA);
}

static int read_part(struct dbl_locks *locks, struct dbl_metrics *metrics,
		     enum dbl_metrics_part part, struct dblock_error *err)
{
	const struct dbl_names *names = &locks->target->names;
	const struct dbl_value place[] = {dbl_text(names->schema), dbl_text(names->prefix)};
	const struct dbl_value most = dbl_int(metrics->names_wanted);
	struct dbl_request request = {.op = parts[part].op,
				      .args = part == DBL_METRICS_NAMES ? DBL_ARG(most)
									: DBL_ARGS(place),
				      .row = parts[part].take,
				      .ctx = metrics,
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	metrics->seen[part] = rc == 0;
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

int dbl_metrics_read(struct dbl_locks *locks, struct dbl_metrics *metrics,
		     void (*unseen)(void *ctx, const char *what, const struct dblock_error *why),
		     void *ctx, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dblock_error why = {0};
	bool any = false;
	int rc = 0;

	if (metrics->names_wanted > 0) {
		metrics->names = dbl_alloc((size_t)metrics->names_wanted * sizeof(*metrics->names));
		if (!metrics->names)
			return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	for (int part = 0; part < DBL_METRICS_PARTS && rc == 0; part++) {
		if (part == DBL_METRICS_NAMES && metrics->names_wanted == 0)
			break;
		rc = read_part(locks, metrics, part, &why);
		any = any || rc == 0;
		if (rc && is_left_out(part, rc)) {
			unseen(ctx, parts[part].what, &why);
			rc = 0;
		}
	}
	/* Sizes want no right: who does not even see those is not let in. */
	if (!any)
		rc = why.code;
	if (rc && err)
		*err = why;
	return rc;
}

void dbl_metrics_free(struct dbl_metrics *metrics)
{
	for (size_t i = 0; i < metrics->n_names; i++)
		dbl_free(metrics->names[i].name);
	dbl_free(metrics->names);
}
