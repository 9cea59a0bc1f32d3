/* SPDX-License-Identifier: MIT */
/* dblock outbox retry, and drop: what to do about messages that could not be delivered. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/outbox/outbox.h"

/* ---- retry ----------------------------------------------------------------------------------- */

static const char retry_about[] =
	"Has a key tried again at once, parked or not, as if nothing had failed; without KEY all\n"
	"of the topic that have failed. Exit code 1: none has.\n";

static int told_retried(const struct dbl_cli *cli, int64_t n)
{
	json_t *object;

	if (!cli->json) {
		printf("%" PRId64 " %s tried again\n", n, n == 1 ? "key is" : "keys are");
		return DBL_EXIT_OK;
	}
	object = json_object();
	dbl_json_text(object, "topic", cli->words.word[0]);
	dbl_json_number(object, "keys", n);
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static int retry(struct dbl_cli *cli)
{
	int64_t n;
	int rc = dblock_outbox_retry(cli->client, cli->words.word[0], cli->words.word[1], &n,
				     &cli->err);

	return rc ? dbl_cli_ended(cli, rc, &cli->err) : told_retried(cli, n);
}

const struct dbl_command dbl_command_outbox_retry = {
	.name = "retry",
	.usage = "TOPIC [KEY]",
	.summary = "have keys that failed tried again",
	.about = retry_about,
	.operands = {.names = {"TOPIC", "KEY"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = retry,
};

/* ---- drop ------------------------------------------------------------------------------------ */

static const char drop_about[] =
	"Deletes a message, for ever, and those behind it are delivered. `dblock --json outbox "
	"show\n"
	"TOPIC KEY` prints it before. Exit code 1: there is none of that number.\n";

static bool read_number(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *number > 0;
}

static int check_drop(const struct dbl_cli *cli)
{
	int64_t number;

	return read_number(cli->words.word[2], &number)
		       ? DBL_EXIT_OK
		       : dbl_cli_usage(cli, "NUMBER is '%s', and has to be a positive number",
				       cli->words.word[2]);
}

static int told_dropped(const struct dbl_cli *cli, int64_t number)
{
	json_t *object;

	if (!cli->json) {
		printf("message %" PRId64 " is deleted\n", number);
		return DBL_EXIT_OK;
	}
	object = json_object();
	dbl_json_text(object, "topic", cli->words.word[0]);
	dbl_json_text(object, "key", cli->words.word[1]);
	dbl_json_number(object, "number", number);
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static int drop(struct dbl_cli *cli)
{
	int64_t number;
	int rc;

	(void)read_number(cli->words.word[2], &number);
	rc = dblock_outbox_drop(cli->client, cli->words.word[0], cli->words.word[1], number,
				&cli->err);
	return rc ? dbl_cli_ended(cli, rc, &cli->err) : told_dropped(cli, number);
}

const struct dbl_command dbl_command_outbox_drop = {
	.name = "drop",
	.usage = "TOPIC KEY NUMBER",
	.summary = "give up a message, for ever",
	.about = drop_about,
	.operands = {.names = {"TOPIC", "KEY", "NUMBER"}, .least = 3},
	.client = DBL_CLIENT_OPEN,
	.check = check_drop,
	.run = drop,
};
