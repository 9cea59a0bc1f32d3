/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/metrics/snapshot.h"
#include "cli/ui/print.h"

/* All are gauges: what there is in the tables now. Names and units are as in OpenMetrics; each name
 * that has a unit ends with it. docs/operator/metrics.md explains them, in this order. */
static const struct {
	const char *name, *unit, *help;
	const char *label; /* of the word; NULL: it has none */
} families[] = {
	[DBLOCK_METRIC_GRANTS] = {"grants", NULL,
				  "Grants of locks, by mode and by what they are held by; dead and "
				  "missing ones have no living holder.",
				  "held_by"},
	[DBLOCK_METRIC_OLDEST_HOLD_US] = {"oldest_hold_seconds", "seconds",
					  "Age of the oldest grant that is in force.", NULL},
	[DBLOCK_METRIC_WAITERS] =
		{"waiters", NULL,
		 "Calls that wait in line, by the state of their session; dead and "
		 "missing ones count no more.",
		 "state"},
	[DBLOCK_METRIC_OLDEST_WAIT_US] = {"oldest_wait_seconds", "seconds",
					  "Age of the oldest wait that counts.", NULL},
	[DBLOCK_METRIC_SESSIONS] =
		{"sessions", NULL,
		 "Sessions of clients: alive; late, with an expired heartbeat; dead, "
		 "declared so and not cleaned up yet.",
		 "state"},
	[DBLOCK_METRIC_LAST_HEARTBEAT_US] = {"last_heartbeat_age_seconds", "seconds",
					     "Time since the last heartbeat of any session, by the "
					     "database's clock.",
					     NULL},
	[DBLOCK_METRIC_OLDEST_HEARTBEAT_US] =
		{"oldest_heartbeat_age_seconds", "seconds",
		 "Time since the heartbeat of the session that is quiet "
		 "for longest.",
		 NULL},
	[DBLOCK_METRIC_TABLES_VERSION] = {"schema_version", NULL,
					  "Newest migration of dblock's own that is applied.",
					  NULL},
	[DBLOCK_METRIC_ROWS] = {"table_rows", NULL,
				"Rows of each of dblock's tables, on a server as it guesses.",
				"table"},
	[DBLOCK_METRIC_BYTES] = {"table_bytes", "bytes",
				 "Size of each of dblock's tables, with its indexes.", "table"},
	[DBLOCK_METRIC_NAME_WAITERS] = {"lock_waiters", NULL, "Calls that wait for this lock.",
					"name"},
	[DBLOCK_METRIC_NAME_OLDEST_WAIT_US] = {"lock_oldest_wait_seconds", "seconds",
					       "Age of the oldest wait for this lock.", "name"},
	[DBLOCK_METRIC_TOPIC_MESSAGES] = {"outbox_messages", NULL,
					  "Messages that wait to be delivered.", "topic"},
	[DBLOCK_METRIC_TOPIC_OLDEST_US] = {"outbox_oldest_seconds", "seconds",
					   "Age of the oldest message that waits to be delivered.",
					   "topic"},
	[DBLOCK_METRIC_TOPIC_FAILING] =
		{"outbox_failing_keys", NULL,
		 "Keys whose first message could not be delivered, and is tried again.", "topic"},
	[DBLOCK_METRIC_TOPIC_PARKED] =
		{"outbox_parked_keys", NULL,
		 "Keys whose first message is not tried again until somebody says so.", "topic"},
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

static const char *mode_name(enum dblock_mode mode)
{
	static const char *const names[] = {
		[DBLOCK_EXCLUSIVE] = "exclusive",
		[DBLOCK_SHARED] = "shared",
		[DBLOCK_UPDATE] = "update",
		[DBLOCK_PERMITS] = "permits",
	};

	return (unsigned)mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "other";
}

static int make_room(struct dbl_snapshot *snapshot)
{
	size_t room = snapshot->room ? snapshot->room * 2 : 64;
	struct dbl_sample *samples;

	if (snapshot->n < snapshot->room)
		return 0;
	samples = realloc(snapshot->samples, room * sizeof(*samples));
	if (!samples)
		return -1;
	snapshot->samples = samples;
	snapshot->room = room;
	return 0;
}

int dbl_snapshot_add(void *arg, const struct dblock_metric *stat)
{
	struct dbl_snapshot *snapshot = arg;
	struct dbl_sample sample = {.kind = stat->kind, .value = stat->value};

	if ((unsigned)stat->kind >= FAMILIES) /* a newer library's */
		return 0;
	if (make_room(snapshot))
		return -1;
	if (stat->kind == DBLOCK_METRIC_GRANTS)
		sample.mode = mode_name(stat->mode);
	/* The format wants UTF-8, whatever somebody has written into the tables. */
	sample.word = dbl_text_utf8(*stat->name ? stat->name : stat->state);
	if (!sample.word)
		return -1;
	snapshot->samples[snapshot->n++] = sample;
	return 0;
}

void dbl_snapshot_clear(struct dbl_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n; i++)
		free(snapshot->samples[i].word);
	free(snapshot->samples);
	*snapshot = (struct dbl_snapshot){.up = false};
}

static void print_head(FILE *out, enum dbl_metrics_format format, const char *name,
		       const char *unit, const char *help)
{
	fprintf(out, "# TYPE dblock_%s gauge\n", name);
	if (unit && format == DBL_METRICS_OPENMETRICS)
		fprintf(out, "# UNIT dblock_%s %s\n", name, unit);
	fprintf(out, "# HELP dblock_%s %s\n", name, help);
}

/* A label's value, in quotes. */
static void print_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putc('\\', out);
		if (*text == '\n')
			fputs("\\n", out);
		else
			putc(*text, out);
	}
	putc('"', out);
}

static void print_seconds(FILE *out, int64_t us)
{
	uint64_t size = us < 0 ? -(uint64_t)us : (uint64_t)us;

	fprintf(out, " %s%" PRIu64 ".%06" PRIu64 "\n", us < 0 ? "-" : "", size / 1000000,
		size % 1000000);
}

static void print_sample(FILE *out, const struct dbl_sample *sample)
{
	const char *unit = families[sample->kind].unit;

	fprintf(out, "dblock_%s", families[sample->kind].name);
	if (families[sample->kind].label) {
		fprintf(out, "{");
		if (sample->mode)
			fprintf(out, "mode=\"%s\",", sample->mode);
		fprintf(out, "%s=", families[sample->kind].label);
		print_quoted(out, sample->word);
		fprintf(out, "}");
	}
	if (unit && strcmp(unit, "seconds") == 0)
		print_seconds(out, sample->value);
	else
		fprintf(out, " %" PRId64 "\n", sample->value);
}

/* The numbers of one metric stand together, behind its head. */
static void print_family(FILE *out, const struct dbl_snapshot *snapshot, unsigned kind,
			 enum dbl_metrics_format format)
{
	bool any = false;

	for (size_t i = 0; i < snapshot->n; i++) {
		if (snapshot->samples[i].kind != kind)
			continue;
		if (!any)
			print_head(out, format, families[kind].name, families[kind].unit,
				   families[kind].help);
		any = true;
		print_sample(out, &snapshot->samples[i]);
	}
}

static void print_own(FILE *out, const struct dbl_snapshot *snapshot,
		      enum dbl_metrics_format format)
{
	print_head(out, format, "up", NULL,
		   "1: the database was there, and could be read; else 0.");
	fprintf(out, "dblock_up %d\n", snapshot->up);
	print_head(out, format, "scrape_duration_seconds", "seconds",
		   "Time that it took to read the database.");
	fputs("dblock_scrape_duration_seconds", out);
	print_seconds(out, snapshot->took_us);
	print_head(out, format, "build_info", NULL, "The dblock that tells this; always 1.");
	fprintf(out, "dblock_build_info{version=\"%s\"} 1\n", dblock_version());
}

char *dbl_snapshot_text(const struct dbl_snapshot *snapshot, enum dbl_metrics_format format,
			size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	bool bad;

	if (!out)
		return NULL;
	print_own(out, snapshot, format);
	for (unsigned kind = 0; kind < FAMILIES; kind++)
		print_family(out, snapshot, kind, format);
	if (format == DBL_METRICS_OPENMETRICS)
		fputs("# EOF\n", out);
	bad = ferror(out);
	if (fclose(out) == 0 && !bad)
		return text;
	free(text);
	return NULL;
}
