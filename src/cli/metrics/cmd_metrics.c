/* SPDX-License-Identifier: MIT */
/* dblock metrics: what there is of everything, for Prometheus and what understands its formats. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/metrics/serve.h"

struct options {
	const char *listen;
	int64_t names;
};

static const struct dbl_arg args[] = {
	DBL_TEXT_ARG("listen", 0, offsetof(struct options, listen), "ADDR",
		     "answer scrapes at PORT, HOST:PORT or unix:PATH"),
	{"names", 0, DBL_ARG_NUMBER, offsetof(struct options, names), "N", 0,
	 DBLOCK_METRICS_NAMES_MAX, "also tell of the N names with the oldest waits", NULL},
	{0},
};

static const char about[] =
	"Prints how much there is of everything, once, as OpenMetrics: grants by mode, waiters,\n"
	"the oldest wait and hold, sessions that are alive, late or dead, rows and sizes of the\n"
	"tables. It wants the right to read them; what it may not see is left out, and said on\n"
	"stderr. If the database cannot be read, dblock_up is 0, and the exit code says why.\n"
	"\n"
	"With --listen it answers GET /metrics until TERM or INT comes, and then exits with 0. A\n"
	"PORT without a host is of this machine's loopback; 0.0.0.0:PORT and [::]:PORT are for\n"
	"all, without a password. It reads the database once a second at most, and a request to\n"
	"that may take 5s, unless --call-timeout says otherwise.\n"
	"\n"
	"Names of locks are not told, as there may be any number of them, except with --names:\n"
	"those that are waited for.\n";

/* Prometheus gives up after ten seconds, and would not learn that the database is what is down. */
enum { SERVE_TIMEOUT_MS = 5000 };

static int check(const struct dbl_cli *cli)
{
	const struct options *o = cli->options;

	if (cli->json)
		return dbl_cli_usage(cli, "--json: metrics have a format of their own");
	return o->listen ? dbl_listen_check(cli, o->listen) : DBL_EXIT_OK;
}

static int print_once(struct dbl_scraper *scraper)
{
	struct dbl_snapshot snapshot = {.up = false};
	int code = dbl_scrape(scraper, &snapshot);
	size_t size;
	char *text = dbl_snapshot_text(&snapshot, DBL_METRICS_OPENMETRICS, &size);

	dbl_snapshot_clear(&snapshot);
	if (!text) {
		dbl_cli_error(scraper->cli, "out of memory");
		return DBL_EXIT_INTERNAL;
	}
	fwrite(text, 1, size, stdout);
	free(text);
	return code;
}

static int serve(struct dbl_scraper *scraper, const char *address)
{
	struct dbl_listeners listeners;
	struct dbl_signals signals;
	int code;

	if (!scraper->cli->timeout_ms)
		scraper->cli->timeout_ms = SERVE_TIMEOUT_MS;
	scraper->goes_on = true;
	/* Before anybody can know that it listens: from then on a signal ends it in order. */
	dbl_signals_block(&signals);
	code = dbl_listen(scraper->cli, address, &listeners);
	if (code != DBL_EXIT_OK)
		return code;
	code = dbl_serve(scraper, &listeners, &signals);
	dbl_listen_end(&listeners);
	return code;
}

static int run(struct dbl_cli *cli)
{
	const struct options *o = cli->options;
	struct dbl_scraper scraper = {.cli = cli, .names = o->names};
	int code = dbl_cli_need_url(cli);

	if (code != DBL_EXIT_OK)
		return code;
	code = o->listen ? serve(&scraper, o->listen) : print_once(&scraper);
	dbl_scraper_end(&scraper);
	return code;
}

const struct dbl_command dbl_command_metrics = {
	.name = "metrics",
	.usage = "[--names N] [--listen ADDR]",
	.summary = "how much there is of everything, for Prometheus: once, or whenever asked",
	.about = about,
	.args = args,
	.check = check,
	.run = run,
	.one_only = "run one for each member, with its -u",
};
