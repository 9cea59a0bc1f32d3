/* SPDX-License-Identifier: MIT */
/* dblock reap: delete what dead sessions have left, once or again and again. */
#include <inttypes.h>
#include <stdio.h>

#include <dblock/alive.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

struct options {
	int64_t purge_after_ms; /* -1: the library's default */
	int64_t every_ms;       /* 0: one pass */
	int64_t keep_marks_ms;  /* -1: the library's default */
	int64_t max_time_ms;    /* likewise */
	bool local;
};

#define AGE_ARG(name, member, help)                                                                \
	DBL_DURATION_ARG(name, 0, offsetof(struct options, member), 0, DBL_DURATION_MAX_MS, help)

static const struct dbl_arg args[] = {
	AGE_ARG("purge-after", purge_after_ms, "delete names unused for so long; default 7d"),
	AGE_ARG("keep-marks", keep_marks_ms,
		"forget after so long that a slot was done; default 400d"),
	AGE_ARG("max-time", max_time_ms, "watch who looks dead for so long at most; default 1m"),
	DBL_DURATION_ARG("every", 0, offsetof(struct options, every_ms), 1, DBL_DURATION_MAX_MS,
			 "go on, with such a pause between two passes"),
	DBL_FLAG_ARG("local", 0, offsetof(struct options, local),
		     "only bury those whose process has ended on this machine"),
	{0},
};

static const char about[] =
	"Frees what dead sessions held and leases that have ended, deletes dead sessions that\n"
	"nothing names, deletes names unused for --purge-after, and forgets slots of\n"
	"`run --once` that were done more than --keep-marks ago. Then it buries sessions that\n"
	"have stopped their heartbeat, frees what those held, and says what it did. Any number\n"
	"may run at once, beside everything else. Locks are taken over from the dead without\n"
	"it, too: it keeps the tables small and the listing true.\n"
	"\n"
	"Before it buries a session it watches it for that session's whole ttl. A pass watches\n"
	"for --max-time at most, and leaves who would take longer to the next one, which goes on\n"
	"where it left off.\n"
	"With --local it only buries sessions whose process has ended on this machine, without\n"
	"any watching, and passes on what they held: this user's, or as root everybody's. Where\n"
	"there are none it does not even connect; so a timer may start it each second.\n"
	"\n"
	"Without --every it makes one pass, for cron. With --every it goes on until TERM or INT,\n"
	"and then exits with 0; a pass that fails is reported, and the next one comes all the\n"
	"same.\n";

static void print_json(const struct dblock_reaped *r)
{
	json_t *object = json_object();

	dbl_json_number(object, "sessions_buried", r->sessions_buried);
	dbl_json_number(object, "locks_freed", r->locks_freed);
	dbl_json_number(object, "sessions_deleted", r->sessions_deleted);
	dbl_json_number(object, "names_purged", r->names_purged);
	dbl_json_number(object, "marks_deleted", r->marks_deleted);
	dbl_json_number(object, "sessions_watched", r->sessions_watched);
	(void)dbl_json_line(object);
}

static void print(const struct dbl_cli *cli, const struct dblock_reaped *r)
{
	if (cli->json)
		print_json(r);
	else if (!cli->quiet)
		printf("sessions buried: %" PRId64 ", locks freed: %" PRId64
		       ", sessions deleted: %" PRId64 ", names purged: %" PRId64
		       ", marks deleted: %" PRId64 ", sessions watched: %" PRId64 "\n",
		       r->sessions_buried, r->locks_freed, r->sessions_deleted, r->names_purged,
		       r->marks_deleted, r->sessions_watched);
	(void)dbl_out_flush(); /* the reader of a log needs the line now */
}

static bool did_something(const struct dblock_reaped *r)
{
	return r->sessions_buried || r->locks_freed || r->sessions_deleted || r->names_purged ||
	       r->marks_deleted;
}

/* 0 means the default to the library, but `at once` to a person. */
static int64_t age(int64_t ms)
{
	return ms < 0 ? 0 : ms == 0 ? -1 : ms;
}

/* Is there anything to do that needs a client? Then it is opened, if it is not yet. */
static bool enter(struct dbl_cli *cli, int *code)
{
	const struct options *o = cli->options;

	*code = DBL_EXIT_OK;
	if (o->local && dblock_alive_ended() == 0) {
		if (!o->every_ms)
			print(cli, &(const struct dblock_reaped){0});
		return false;
	}
	if (!cli->client)
		*code = dbl_cli_open(cli);
	return *code == DBL_EXIT_OK;
}

/* Make one pass; returns an exit code. In a loop, a pass that found nothing prints no line. */
static int pass(struct dbl_cli *cli, struct dbl_signals *signals)
{
	const struct options *o = cli->options;
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	int rc, code;

	if (!enter(cli, &code))
		return code;
	options.purge_after_ms = age(o->purge_after_ms);
	options.keep_marks_ms = age(o->keep_marks_ms);
	options.max_time_ms = age(o->max_time_ms);
	options.local = o->local;
	options.canceled = dbl_signals_pending;
	options.canceled_arg = signals;
	rc = dblock_reap(cli->client, &options, &reaped, &cli->err);
	if (did_something(&reaped) || (rc == DBLOCK_OK && !o->every_ms))
		print(cli, &reaped);
	return rc == DBLOCK_CANCELED ? DBL_EXIT_OK : dbl_cli_ended(cli, rc, &cli->err);
}

static int run(struct dbl_cli *cli)
{
	const struct options *o = cli->options;
	struct dbl_signals signals;
	int code;

	if (!o->local && (code = dbl_cli_open(cli)) != DBL_EXIT_OK)
		return code;
	dbl_signals_block(&signals);
	do
		code = pass(cli, &signals);
	while (o->every_ms && !signals.caught && !ferror(stdout) &&
	       !dbl_signals_wait(&signals, o->every_ms));
	if (signals.caught)
		code = o->every_ms ? DBL_EXIT_OK : DBL_EXIT_SIGNAL + signals.caught;
	return code;
}

const struct dbl_command dbl_command_reap = {
	.name = "reap",
	.usage = "[--purge-after DUR] [--keep-marks DUR] [--max-time DUR] [--every DUR] [--local]",
	.summary = "clear away what dead clients left behind",
	.about = about,
	.args = args,
	.defaults = &(const struct options){-1, 0, -1, -1, false},
	.size = sizeof(struct options),
	.run = run,
	.one_only = "run it for each member, with its -u",
};
