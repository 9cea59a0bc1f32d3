/* SPDX-License-Identifier: MIT */
/* dblock global finish: a person decides what is in doubt. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/global/global.h"

static const char about[] =
	"Decides a transaction over several databases that is in doubt, as the database that\n"
	"decided (its home) was restored, or has failed over, and may have forgotten it. Look\n"
	"first: `dblock global show ID`, and whether home's own rows of it are there; then commit\n"
	"the branches, or roll them back. What home itself has lost is not made good by that.\n"
	"\n"
	"  dblock global finish 0123456789abcdef --commit -u \"$ORDERS\" -u \"$STOCK\"\n"
	"\n"
	"It is written down at home, and stands. Where home knows better nothing is changed: exit\n"
	"code 64. Exit code 1: nothing is known of it; 75: a database has not done so yet, do it\n"
	"again.\n";

#define AT(member) offsetof(struct dbl_global_options, member)

static const struct dbl_arg args[] = {
	DBL_FLAG_ARG("commit", 0, AT(commit), "commit its branches"),
	DBL_FLAG_ARG("rollback", 0, AT(roll_back), "roll them back"),
	DBL_FLAG_ARG("without-home", 0, AT(without_home),
		     "its home is gone for good: do not ask it"),
	{0},
};

static int check(const struct dbl_cli *cli)
{
	const struct dbl_global_options *o = cli->options;

	return o->commit != o->roll_back
		       ? DBL_EXIT_OK
		       : dbl_cli_usage(cli, "--commit or --rollback: one of them is needed");
}

struct finished {
	const struct dbl_cli *cli;
	enum dblock_recovered outcome; /* 0: there is nothing */
};

static int found(void *arg, const struct dblock_recovery *r)
{
	struct finished *finished = arg;

	finished->outcome = r->outcome;
	if (finished->cli->json)
		return dbl_json_line(dbl_recovery_json(r, true)) ? DBLOCK_E_NOMEM : 0;
	printf("%s  %s  %" PRId64 " prepared  %s\n", r->id, dbl_recovered_word(r->outcome, true),
	       r->branches, r->text);
	return 0;
}

static int exit_of(const struct finished *finished, const char *id)
{
	if (finished->outcome == DBLOCK_RECOVERED_NOT_YET)
		return DBL_EXIT_BUSY;
	if (finished->outcome)
		return DBL_EXIT_OK;
	dbl_cli_note(finished->cli, "%s: nothing is prepared, and nothing is left to be finished",
		     id);
	return DBL_EXIT_STALE;
}

static int finish(struct dbl_cli *cli)
{
	const struct dbl_global_options *o = cli->options;
	struct dblock_recover_options how = DBLOCK_RECOVER_OPTIONS_INIT;
	struct finished finished = {.cli = cli};
	struct dbl_databases d;
	int rc = 0;

	how.id = cli->words.word[0];
	how.verdict = o->commit ? DBLOCK_VERDICT_COMMIT : DBLOCK_VERDICT_ROLL_BACK;
	how.without_home = o->without_home;
	if (dbl_databases_open(&d, cli, false))
		rc = dblock_recover(d.clients, d.n, &how, found, &finished, &cli->err);
	dbl_databases_close(&d);
	if (rc)
		return dbl_cli_ended(cli, rc, &cli->err);
	return d.code ? d.code : exit_of(&finished, how.id);
}

const struct dbl_command dbl_command_global_finish = {
	.name = "finish",
	.usage = "ID --commit|--rollback",
	.summary = "decide one that is in doubt",
	.about = about,
	.args = args,
	.operands = {.names = {"ID"}, .least = 1},
	.check = check,
	.run = finish,
	.run_members = finish,
};
