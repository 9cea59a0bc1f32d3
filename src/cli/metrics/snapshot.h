/* SPDX-License-Identifier: MIT */
/* What `dblock metrics` tells at one time, and its text in the formats of Prometheus. */
#ifndef DBL_CLI_METRICS_SNAPSHOT_H
#define DBL_CLI_METRICS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/ui/cli.h"

struct dbl_sample {
	enum dblock_metric_kind kind;
	const char *mode; /* static */
	char *word;       /* the state, or the name; owned */
	int64_t value;
};

struct dbl_snapshot {
	bool up;         /* the database was there, and could be read */
	int64_t took_us; /* for so long it was being made */
	struct dbl_sample *samples;
	size_t n, room;
};

/* The library's number becomes a sample. For dblock_metrics(); -1: there is no memory. */
int dbl_snapshot_add(void *snapshot, const struct dblock_metric *stat);

void dbl_snapshot_clear(struct dbl_snapshot *);

/* OPENMETRICS has the unit of each metric, and an end: cut off, it is not taken for whole. Else the
 * two are the same, so that whatever reads Prometheus' own text can read both. */
enum dbl_metrics_format { DBL_METRICS_TEXT, DBL_METRICS_OPENMETRICS };

/* The snapshot as a text, to be freed. NULL: there is no memory. */
char *dbl_snapshot_text(const struct dbl_snapshot *, enum dbl_metrics_format, size_t *size);

/* Makes snapshots of the database of `cli`, one after the other. */
struct dbl_scraper {
	struct dbl_cli *cli;
	int64_t names; /* tell of so many names */
	bool goes_on;  /* it is to say once, not each time, what is wrong */
	bool was_down;
	unsigned said;      /* how many kinds of numbers were said to be left out, */
	char *left_out[16]; /* and which */
};

/* Make one, whatever is there: if the database is not, that is what it tells. Says on stderr what is
 * wrong or left out; returns an exit code. */
int dbl_scrape(struct dbl_scraper *, struct dbl_snapshot *);

void dbl_scraper_end(struct dbl_scraper *);

#endif
