/* SPDX-License-Identifier: MIT */
/* Reads what there is. Nothing is kept in the database for that: rates come from two looks. */
#include <stdlib.h>
#include <string.h>

#include "cli/top/top.h"

/* A name that is waited for. */
struct waited {
	char *name;
	int64_t waiting, oldest_us;
};

struct waits {
	struct waited *all;
	size_t n;
};

struct reading {
	struct dbl_top_look *look;
	struct waits waits;
};

/* ---- the numbers ----------------------------------------------------------------------------- */

static void count(struct dbl_top_look *look, enum dbl_top_number number, int64_t n)
{
	look->told[number] = true;
	look->number[number] += n;
}

static void count_grants(struct dbl_top_look *look, const struct dblock_metric *metric)
{
	count(look, DBL_TOP_HELD, metric->value);
	if (strcmp(metric->state, "dead") == 0)
		count(look, DBL_TOP_DEAD, metric->value);
	else if (strcmp(metric->state, "missing") == 0)
		count(look, DBL_TOP_MISSING, metric->value);
}

static void count_sessions(struct dbl_top_look *look, const struct dblock_metric *metric)
{
	count(look,
	      strcmp(metric->state, "alive") == 0  ? DBL_TOP_ALIVE
	      : strcmp(metric->state, "late") == 0 ? DBL_TOP_LATE
						   : DBL_TOP_BURIED,
	      metric->value);
}

/* Who is dead or missing does not wait any more. */
static bool waits(const char *state)
{
	return strcmp(state, "alive") == 0 || strcmp(state, "late") == 0;
}

/* The number of waiters of a name comes before the age of the oldest. */
static int add_name(struct waits *waits, const struct dblock_metric *metric)
{
	struct waited *all;

	if (metric->kind == DBLOCK_METRIC_NAME_OLDEST_WAIT_US) {
		if (waits->n && strcmp(waits->all[waits->n - 1].name, metric->name) == 0)
			waits->all[waits->n - 1].oldest_us = metric->value;
		return 0;
	}
	all = realloc(waits->all, (waits->n + 1) * sizeof(*all));
	if (!all)
		return -1;
	waits->all = all;
	all[waits->n] = (struct waited){strdup(metric->name), metric->value, 0};
	return all[waits->n].name ? (waits->n++, 0) : -1;
}

static int take_metric(void *arg, const struct dblock_metric *metric)
{
	struct reading *reading = arg;
	struct dbl_top_look *look = reading->look;

	switch (metric->kind) {
	case DBLOCK_METRIC_GRANTS:
		count_grants(look, metric);
		break;
	case DBLOCK_METRIC_OLDEST_HOLD_US:
		count(look, DBL_TOP_OLDEST_HOLD_US, metric->value);
		break;
	case DBLOCK_METRIC_WAITERS:
		count(look, DBL_TOP_WAITING, waits(metric->state) ? metric->value : 0);
		break;
	case DBLOCK_METRIC_OLDEST_WAIT_US:
		count(look, DBL_TOP_OLDEST_WAIT_US, metric->value);
		break;
	case DBLOCK_METRIC_SESSIONS:
		count_sessions(look, metric);
		break;
	case DBLOCK_METRIC_NAME_WAITERS:
	case DBLOCK_METRIC_NAME_OLDEST_WAIT_US:
		return add_name(&reading->waits, metric);
	default:
		break;
	}
	return 0;
}

/* ---- the rows -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct waited *)a)->name, ((const struct waited *)b)->name);
}

static int named(const void *name, const void *waited)
{
	return strcmp(name, ((const struct waited *)waited)->name);
}

static const struct waited *find(const struct waits *waits, const char *name)
{
	return waits->n ? bsearch(name, waits->all, waits->n, sizeof(*waits->all), named) : NULL;
}

/* Names that are waited for and that nobody holds are as grants of nobody; where not all grants were
 * read, it cannot be told that nobody does. */
static int add_unheld(struct reading *reading, const char *pattern)
{
	struct dbl_kept *kept = &reading->look->kept;
	size_t n = kept->n_holders, at = 0;
	int rc = 0;

	for (size_t i = 0; i < reading->waits.n && rc == 0 && !reading->look->cut; i++) {
		const char *name = reading->waits.all[i].name;
		const struct dblock_holder unheld = {.name = name,
						     .host = "",
						     .app = "",
						     .session = "",
						     .value = "",
						     .left_ms = INT64_MIN,
						     .held_ms = INT64_MIN,
						     .waiting = reading->waits.all[i].waiting};

		while (at < n && strcmp(kept->holders[at].name, name) < 0)
			at++;
		if (at < n && strcmp(kept->holders[at].name, name) == 0)
			continue;
		if (!pattern || dbl_text_fits(name, pattern))
			rc = dbl_kept_holder(kept, &unheld);
	}
	return rc;
}

static int make_rows(struct reading *reading, const char *pattern)
{
	struct dbl_top_look *look = reading->look;

	look->n_grants = look->kept.n_holders;
	if (reading->waits.n)
		qsort(reading->waits.all, reading->waits.n, sizeof(struct waited), by_name);
	if (add_unheld(reading, pattern))
		return -1;
	look->rows = calloc(look->kept.n_holders + 1, sizeof(*look->rows));
	if (!look->rows)
		return -1;
	for (; look->n_rows < look->kept.n_holders; look->n_rows++) {
		const struct dblock_holder *h = &look->kept.holders[look->n_rows];
		const struct waited *w = find(&reading->waits, h->name);

		look->rows[look->n_rows] = (struct dbl_top_row){
			h, h->waiting, w && h->waiting ? w->oldest_us / 1000 : INT64_MIN};
	}
	return 0;
}

/* So many grants are in `look` and not in `before`; in both they are by name, and by token. A name that
 * went from hand to hand between the two counts once. */
static size_t count_new(const struct dbl_top_look *before, const struct dbl_top_look *look)
{
	size_t at = 0, fresh = 0;

	for (size_t i = 0; i < look->n_grants; i++) {
		const struct dblock_holder *h = &look->kept.holders[i], *b = before->kept.holders;
		int order = -1;

		while (at < before->n_grants) {
			order = strcmp(b[at].name, h->name);
			order = order ? order : (b[at].token > h->token) - (b[at].token < h->token);
			if (order >= 0)
				break;
			at++;
		}
		fresh += at == before->n_grants || order != 0;
	}
	return fresh;
}

static int read_grants(struct dblock_client *client, const char *pattern, struct dbl_top_look *look,
		       struct dblock_error *err)
{
	struct dblock_list_options list = DBLOCK_LIST_OPTIONS_INIT;
	int rc;

	list.pattern = pattern;
	list.limit = DBL_TOP_GRANTS_MAX + 1;
	rc = dblock_list(client, &list, dbl_kept_holder, &look->kept, err);
	look->cut = look->kept.n_holders > DBL_TOP_GRANTS_MAX;
	look->kept.n_holders -= look->cut;
	return rc;
}

static int read_numbers(struct dblock_client *client, struct reading *reading,
			struct dblock_error *err)
{
	struct dblock_metrics_options options = DBLOCK_METRICS_OPTIONS_INIT;

	options.names = DBL_TOP_NAMES_MAX;
	return dblock_metrics(client, &options, take_metric, reading, err);
}

int dbl_top_read(struct dblock_client *client, const char *pattern,
		 const struct dbl_top_look *before, struct dbl_top_look *look,
		 struct dblock_error *err)
{
	struct reading reading = {.look = look};
	int rc;

	*look = (struct dbl_top_look){.at_us = dbl_now_us(), .new_per_s = -1};
	rc = read_numbers(client, &reading, err);
	if (rc == DBLOCK_OK)
		rc = read_grants(client, pattern, look, err);
	if (rc == DBLOCK_OK)
		rc = make_rows(&reading, pattern);
	if (rc == DBLOCK_OK && before && look->at_us > before->at_us)
		look->new_per_s = (double)count_new(before, look) * 1e6 /
				  (double)(look->at_us - before->at_us);
	for (size_t i = 0; i < reading.waits.n; i++)
		free(reading.waits.all[i].name);
	free(reading.waits.all);
	return rc == -1 ? DBLOCK_E_NOMEM : rc;
}

void dbl_top_look_clear(struct dbl_top_look *look)
{
	dbl_kept_clear(&look->kept);
	free(look->rows);
	*look = (struct dbl_top_look){.at_us = 0};
}
