/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/metrics/snapshot.h"
#include "cli/ui/print.h"

/* A right is missing, or the database does not tell: that is said once. */
static void unseen(void *arg, const char *what, const struct dblock_error *why)
{
	struct dbl_scraper *scraper = arg;

	for (unsigned i = 0; i < scraper->said; i++)
		if (strcmp(scraper->left_out[i], what) == 0)
			return;
	if (scraper->said < sizeof(scraper->left_out) / sizeof(scraper->left_out[0])) {
		scraper->left_out[scraper->said] = strdup(what);
		scraper->said += scraper->left_out[scraper->said] != NULL;
	}
	dbl_cli_note(scraper->cli, "left out: %s: %s", what, why->message);
}

void dbl_scraper_end(struct dbl_scraper *scraper)
{
	while (scraper->said)
		free(scraper->left_out[--scraper->said]);
}

static int open_client(struct dbl_scraper *scraper)
{
	struct dbl_cli *cli = scraper->cli;
	struct dblock_client_options options = dbl_cli_options(cli);

	if (cli->client)
		return DBLOCK_OK;
	options.observe = 1;
	return dbl_cli_try_open(cli, &options, &cli->client, &cli->err);
}

static int read_all(struct dbl_scraper *scraper, struct dbl_snapshot *snapshot)
{
	struct dblock_metrics_options options = DBLOCK_METRICS_OPTIONS_INIT;
	int rc = open_client(scraper);

	if (rc)
		return rc;
	options.names = scraper->names;
	options.unseen = unseen;
	options.unseen_arg = scraper;
	rc = dblock_metrics(scraper->cli->client, &options, dbl_snapshot_add, snapshot,
			    &scraper->cli->err);
	return rc == -1 ? DBLOCK_E_NOMEM : rc;
}

/* Said when it begins and when it ends: a log is not filled by each scrape. */
static int tell(struct dbl_scraper *scraper, int rc)
{
	struct dbl_cli *cli = scraper->cli;
	bool was_down = scraper->was_down;

	scraper->was_down = rc != DBLOCK_OK;
	if (rc == DBLOCK_OK && was_down)
		dbl_cli_note(cli, "the database can be read again");
	if (rc == DBLOCK_OK || (was_down && scraper->goes_on))
		return dbl_cli_exit(cli, rc);
	return dbl_cli_not_opened(cli, rc, &cli->err);
}

int dbl_scrape(struct dbl_scraper *scraper, struct dbl_snapshot *snapshot)
{
	struct dbl_cli *cli = scraper->cli;
	int64_t begun = dbl_now_us();
	int rc;

	dbl_snapshot_clear(snapshot);
	cli->err = (struct dblock_error){0};
	rc = read_all(scraper, snapshot);
	if (rc) {
		/* The next one begins anew: it may be another server, with other tables. */
		dblock_close(cli->client, NULL);
		cli->client = NULL;
		dbl_snapshot_clear(snapshot);
	}
	snapshot->up = rc == DBLOCK_OK;
	snapshot->took_us = dbl_now_us() - begun;
	return tell(scraper, rc);
}
