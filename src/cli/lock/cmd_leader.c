/* SPDX-License-Identifier: MIT */
/* dblock leader NAME: who leads, now or from now on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

struct leader_options {
	bool watch;
	int64_t every_ms;
};

static const struct dbl_arg args[] = {
	DBL_FLAG_ARG("watch", 0, offsetof(struct leader_options, watch),
		     "go on: a line now, and one for each change"),
	DBL_DURATION_ARG("every", 0, offsetof(struct leader_options, every_ms), 10,
			 24LL * 3600 * 1000, "with --watch: look so often; default 1s"),
	{0},
};

static const char about[] =
	"Prints who leads NAME: host and pid, token, since when, and its value. Exit code 1:\n"
	"nobody leads. With --watch it goes on until a signal ends it, and prints a line whenever\n"
	"another one leads, nobody does (`-`), or the leader's value is another. Each look is one\n"
	"read.\n"
	"\n"
	"  $ dblock leader scheduler\n"
	"  web-1:731  1795187306182311  2024-05-01T12:02:40+02:00  web-1:8080\n";

static int print_json(const char *name, const struct dblock_leader *leader)
{
	json_t *object = json_object();

	dbl_json_text(object, "name", name);
	json_object_set_new(object, "leads", json_boolean(leader->token));
	dbl_json_number(object, "token", leader->token);
	dbl_json_text(object, "host", leader->host);
	dbl_json_number(object, "pid", leader->pid);
	dbl_json_text(object, "app", leader->app);
	dbl_json_time(object, "since", leader->since_us);
	dbl_json_text(object, "value", leader->value);
	return dbl_json_line(object);
}

static int print_line(const struct dblock_leader *leader)
{
	char *host, *value, since[DBL_TIME_TEXT];

	if (!leader->token)
		return puts("-") < 0;
	host = dbl_text_safe(leader->host);
	value = dbl_text_safe(leader->value);
	dbl_time_local(leader->since_us, since);
	if (host && value)
		printf("%s:%" PRId64 "  %" PRId64 "  %s%s%s\n", *host ? host : "?", leader->pid,
		       leader->token, since, *value ? "  " : "", value);
	free(host);
	free(value);
	return !host || !value;
}

/* DBL_EXIT_OK, or why the output failed. The line is flushed, as its reader needs it now. */
static int print(const struct dbl_cli *cli, const char *name, const struct dblock_leader *leader)
{
	if (cli->json ? print_json(name, leader) : print_line(leader))
		return DBL_EXIT_INTERNAL;
	return dbl_out_flush() ? DBL_EXIT_IO : DBL_EXIT_OK;
}

static int watch(struct dbl_cli *cli, const char *name, int64_t every_ms)
{
	struct dblock_watch_options options = DBLOCK_WATCH_OPTIONS_INIT;
	struct dblock_leader leader = DBLOCK_LEADER_INIT;
	struct dbl_signals signals;
	int rc, code;

	dbl_signals_block(&signals);
	options.every_ms = every_ms;
	options.canceled = dbl_signals_pending;
	options.canceled_arg = &signals;
	rc = dblock_leader_of(cli->client, name, &leader, &cli->err);
	while (rc == DBLOCK_OK || rc == DBLOCK_STALE) {
		code = print(cli, name, &leader);
		if (code != DBL_EXIT_OK)
			return code;
		rc = dblock_leader_watch(cli->client, name, &options, &leader, &cli->err);
	}
	return rc == DBLOCK_CANCELED ? DBL_EXIT_SIGNAL + signals.caught
				     : dbl_cli_ended(cli, rc, &cli->err);
}

static int show(struct dbl_cli *cli, const char *name)
{
	struct dblock_leader leader = DBLOCK_LEADER_INIT;
	int rc = dblock_leader_of(cli->client, name, &leader, &cli->err);
	int code = DBL_EXIT_OK;

	/* If nobody leads, an object is printed all the same. */
	if (rc == DBLOCK_OK || (rc == DBLOCK_STALE && cli->json))
		code = print(cli, name, &leader);
	return code == DBL_EXIT_OK ? dbl_cli_ended(cli, rc, &cli->err) : code;
}

static int run(struct dbl_cli *cli)
{
	const struct leader_options *o = cli->options;
	const char *name = cli->words.word[0];

	return o->watch ? watch(cli, name, o->every_ms) : show(cli, name);
}

const struct dbl_command dbl_command_leader = {
	.name = "leader",
	.usage = "NAME [--watch]",
	.summary = "print who leads",
	.about = about,
	.args = args,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_LOOK,
	.run = run,
	.one_only = "on a majority nobody is elected; `dblock show NAME` tells who has a lock",
};
