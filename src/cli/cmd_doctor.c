/* SPDX-License-Identifier: MIT */
/* dblock doctor: is this database fit for locks? */
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

static const char about[] =
	"Connects, and says what it finds: server and version, tables and rights, whether the\n"
	"database can be written, its clock against this machine's, isolation, durability,\n"
	"replication, a pooler in between; for a SQLite file its file system and its WAL. One\n"
	"line for each finding: how bad it is, the topic, what it is; and below it what to do. It\n"
	"changes nothing.\n"
	"\n"
	"Exit code: 0 if all is well, 1 if there are warnings, 2 if something is wrong. A\n"
	"database that cannot be reached is wrong as well: 2, whatever the other commands exit\n"
	"with.\n";

enum { TOPIC_WIDTH = 10 };

struct output {
	const struct dbl_cli *cli;
	enum dblock_severity worst;
};

static int print_line(const struct dblock_finding *finding)
{
	char *text = dbl_text_safe(finding->text);

	if (!text)
		return -1;
	printf("%-7s  %-*s  %s\n", dblock_severity_name(finding->severity), TOPIC_WIDTH,
	       finding->topic, text);
	if (finding->remedy[0])
		printf("%-7s  %-*s  -> %s\n", "", TOPIC_WIDTH, "", finding->remedy);
	free(text);
	return 0;
}

static int print_json(const struct dblock_finding *finding)
{
	json_t *object = json_object();

	dbl_json_text(object, "severity", dblock_severity_name(finding->severity));
	dbl_json_text(object, "topic", finding->topic);
	dbl_json_text(object, "text", finding->text);
	dbl_json_text(object, "remedy", finding->remedy);
	return dbl_json_line(object);
}

static int found(void *arg, const struct dblock_finding *finding)
{
	struct output *out = arg;

	if (finding->severity > out->worst)
		out->worst = finding->severity;
	if (out->cli->quiet && finding->severity == DBLOCK_FINDING_OK)
		return 0;
	return out->cli->json ? print_json(finding) : print_line(finding);
}

/* A database that cannot be examined is a finding of its own: it is wrong. */
static int cannot_look(const struct output *out, int rc, const struct dblock_error *err)
{
	struct dblock_finding finding = {.size = sizeof(finding),
					 .severity = DBLOCK_FINDING_WRONG,
					 .topic = "connection",
					 .text = err->message,
					 .remedy = ""};

	(void)dbl_cli_ended(out->cli, rc, err);
	if (out->cli->json && print_json(&finding))
		return DBL_EXIT_INTERNAL;
	return DBL_EXIT_WRONG;
}

static int run(struct dbl_cli *cli)
{
	static const int exits[] = {[DBLOCK_FINDING_OK] = DBL_EXIT_OK,
				    [DBLOCK_FINDING_WARNING] = DBL_EXIT_WARNINGS,
				    [DBLOCK_FINDING_WRONG] = DBL_EXIT_WRONG};
	struct dblock_client_options o = dbl_cli_options(cli);
	struct output out = {.cli = cli};
	int rc = dbl_cli_need_url(cli);

	if (rc != DBL_EXIT_OK)
		return rc;
	if (cli->url_from && *cli->url_from == '/')
		dbl_cli_note(cli, "the URL is that of %s", cli->url_from);
	rc = dblock_doctor(dbl_cli_url(cli), &o, found, &out, &cli->err);
	if (rc == DBLOCK_OK)
		return exits[out.worst];
	return cannot_look(&out, rc, &cli->err);
}

const struct dbl_command dbl_command_doctor = {
	.name = "doctor",
	.usage = "",
	.summary = "examine the database: is it fit for locks, and what to do if not",
	.about = about,
	.run = run,
};
