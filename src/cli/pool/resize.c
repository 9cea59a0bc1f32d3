/* SPDX-License-Identifier: MIT */
/* dblock pool resize: the capacity of a semaphore that is stored. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pool/pool.h"

static const char about[] =
	"Stores how many permits the semaphore NAME has, from now on: `dblock run -p 1/stored`\n"
	"goes by that. More are granted at once to who waits; of fewer nothing is taken away, and\n"
	"nobody is granted any until enough have been given back. 0 closes it: all wait until\n"
	"there are some again. Who names another number is told. Without N it prints what is\n"
	"stored; exit code 1: nothing is.\n"
	"\n"
	"  dblock pool resize gpu 6\n";

/* Read decimal digits; -1: it is no such number. */
static int64_t number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	errno = 0;
	return digits && !text[digits] ? strtoll(text, NULL, 10) : -1;
}

static int check(const struct dbl_cli *cli)
{
	const char *text = cli->words.word[1];

	if (cli->words.count < 2 ||
	    (number(text) >= 0 && errno == 0 && number(text) <= DBLOCK_CAPACITY_MAX))
		return DBL_EXIT_OK;
	return dbl_cli_usage(cli, "N is '%s', and has to be a number from 0 to %lld", text,
			     (long long)DBLOCK_CAPACITY_MAX);
}

static int tell(const struct dbl_cli *cli, int64_t capacity)
{
	json_t *object;

	if (!cli->json)
		return cli->words.count > 1 || printf("%" PRId64 "\n", capacity) > 0 ? DBL_EXIT_OK
										     : DBL_EXIT_IO;
	object = json_object();
	dbl_json_text(object, "name", cli->words.word[0]);
	dbl_json_number(object, "capacity", capacity);
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static int resize(struct dbl_cli *cli)
{
	const char *name = cli->words.word[0];
	int64_t capacity = 0;
	int rc;

	if (cli->words.count > 1) {
		capacity = number(cli->words.word[1]);
		rc = dblock_pool_resize(cli->client, name, capacity, &cli->err);
	} else {
		rc = dblock_pool_capacity(cli->client, name, &capacity, &cli->err);
	}
	return rc ? dbl_cli_ended(cli, rc, &cli->err) : tell(cli, capacity);
}

const struct dbl_command dbl_command_pool_resize = {
	.name = "resize",
	.usage = "NAME [N]",
	.summary = "store how many permits a semaphore has, or print it",
	.about = about,
	.operands = {.names = {"NAME", "N"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.check = check,
	.run = resize,
};
