/* SPDX-License-Identifier: MIT */
/* dblock outbox run TOPIC -- CMD: a command gets the messages of a topic, one after another. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/outbox/outbox.h"

#define AT(member) offsetof(struct dbl_outbox_options, member)

/* The library's. */
enum { TRIES = 10, TRIES_MAX = 1000, BATCH_MAX = 1000, RATE_MAX = 1000000 };
enum { PAUSE_MS = 1000, POLL_LEAST_MS = 1000 };

/* Who reads a log wants to know that it is still so, but not every second. */
#define NEWS_AGAIN_US INT64_C(60000000)

static const struct dbl_arg args[] = {
	DBL_FLAG_ARG("drain", 0, AT(drain), "end once nothing is left that can be delivered now"),
	{"tries", 0, DBL_ARG_NUMBER, AT(tries), "N", 1, TRIES_MAX,
	 "park a key after so many tries that failed; default 10", NULL},
	DBL_DURATION_ARG("pause", 0, AT(pause_ms), 1, DBLOCK_TIMEOUT_MAX_MS,
			 "pause before the second try, and twice as long before each other one; "
			 "default 1s"),
	DBL_DURATION_ARG("pause-max", 0, AT(pause_max_ms), 1, DBLOCK_TIMEOUT_MAX_MS,
			 "the longest such pause; default 5m"),
	{"batch", 0, DBL_ARG_NUMBER, AT(batch), "N", 1, BATCH_MAX,
	 "read, and delete, so many at once; default 100", NULL},
	{"rate", 0, DBL_ARG_NUMBER, AT(rate), "N", 1, RATE_MAX,
	 "deliver so many a second at most; default: no limit", NULL},
	DBL_DURATION_ARG("poll", 0, AT(poll_ms), POLL_LEAST_MS, DBLOCK_TIMEOUT_MAX_MS,
			 "look so often, unless a commit tells; default 1s"),
	DBL_DURATION_ARG("cmd-timeout", 0, AT(cmd_timeout_ms), 1, DBLOCK_TIMEOUT_MAX_MS,
			 "end a CMD that takes longer, by TERM, and KILL 5s later; default: none"),
	{0},
};

static const char about[] =
	"Runs CMD for each message of TOPIC, one after another: those of one key in the order of\n"
	"their numbers, each until CMD has taken it. It goes on until a signal comes, or, with\n"
	"--drain, until nothing is left. Any number of these may run, anywhere: they share the\n"
	"topic, and where one dies the others go on.\n"
	"\n"
	"CMD gets one line of JSON on its standard input, with topic, key, number, id, put_at,\n"
	"tries, token, headers and body, and $DBLOCK_TOPIC, $DBLOCK_KEY, $DBLOCK_NUMBER and\n"
	"$DBLOCK_TOKEN. What it makes of it is its exit code:\n"
	"\n"
	"  0      delivered: the message is deleted\n"
	"  75     nothing can be delivered now (EX_TEMPFAIL): that is no try, and all pauses\n"
	"  65     never (EX_DATAERR): its key is parked at once\n"
	"  other  not delivered: the key's messages wait for the next try, other keys go on;\n"
	"         after --tries the key is parked, until `dblock outbox retry`\n"
	"\n"
	"A message may come twice, as when the database fails just after CMD: whoever must not do\n"
	"it twice keeps key and number (dblock_inbox_seen()). While nothing gets through, for\n"
	"longer than --pause, all pauses after each that fails, and later tries do not count.\n"
	"\n"
	"TERM, INT, HUP, QUIT, USR1 and USR2 are passed on to CMD; when it has ended, so does "
	"this,\n"
	"with 128 + n. 127: CMD is not found, 126: it cannot be executed; neither counts as a "
	"try.\n"
	"69, with --drain: nothing gets through.\n"
	"\n"
	"  dblock outbox run orders -- ./deliver.sh\n"
	"  dblock outbox run orders -- sh -c 'jq -r .body | curl -sfd @- "
	"https://shop.example/in'\n";

struct run {
	struct dbl_consumer consumer;
	const struct dbl_outbox_options *options;
	int64_t told_unavailable, told_trouble; /* us; 0: not yet */
};

/* Is it to be told now? */
static bool is_news(int64_t *told_at)
{
	int64_t now = dbl_now_us();

	if (*told_at && now - *told_at < NEWS_AGAIN_US)
		return false;
	*told_at = now;
	return true;
}

static int canceled(void *arg)
{
	struct run *run = arg;

	return run->consumer.code || dbl_signals_pending(run->consumer.signals);
}

static int deliver(void *arg, const struct dblock_message *m, struct dblock_error *err)
{
	struct run *run = arg;
	int rc = dbl_consume(&run->consumer, m, err);

	if (rc == DBLOCK_OK)
		run->told_unavailable = run->told_trouble = 0;
	if (rc == DBLOCK_E_UNAVAILABLE && !run->options->drain && !canceled(run) &&
	    is_news(&run->told_unavailable))
		dbl_cli_note(run->consumer.cli,
			     "topic '%s', key '%s', number %" PRId64
			     ": %s: nothing is delivered now, and this one is tried again soon",
			     m->topic, m->key, m->number, err->message);
	return rc;
}

/* How to go on, as it is typed. To be freed; NULL: no memory. */
static char *command_to_retry(const struct dblock_message *m)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("dblock outbox retry ", out);
	dbl_text_put_word(out, m->topic);
	fputc(' ', out);
	dbl_text_put_word(out, m->key);
	return fclose(out) == 0 ? text : NULL;
}

static void tell_failed(void *arg, const struct dblock_message *m, const struct dblock_error *why,
			int64_t again_ms)
{
	const struct run *run = arg;
	const struct dbl_cli *cli = run->consumer.cli;
	bool parked = again_ms < 0;
	char *command = parked ? command_to_retry(m) : NULL, pause[DBL_DURATION_TEXT];

	if (parked) {
		dbl_cli_error(cli,
			      "topic '%s', key '%s', number %" PRId64
			      ": %s; it is parked, and what "
			      "comes behind it waits: %s",
			      m->topic, m->key, m->number, why->message, command ? command : "");
	} else {
		dbl_duration_text(again_ms, pause);
		dbl_cli_note(cli,
			     "topic '%s', key '%s', number %" PRId64
			     ": %s; it is tried again in %s (try %" PRId64 " of %" PRId64 ")",
			     m->topic, m->key, m->number, why->message, pause, m->tries,
			     run->options->tries ? run->options->tries : TRIES);
	}
	free(command);
}

static void tell_trouble(void *arg, const struct dblock_error *why)
{
	struct run *run = arg;

	if (is_news(&run->told_trouble))
		dbl_cli_note(run->consumer.cli, "%s; it goes on once the database is back",
			     why->message);
}

static struct dblock_relay_options options_of(struct run *run)
{
	const struct dbl_outbox_options *o = run->options;
	struct dblock_relay_options how = DBLOCK_RELAY_OPTIONS_INIT;

	how.drain = o->drain;
	how.tries = o->tries;
	how.pause_ms = o->pause_ms;
	how.pause_max_ms = o->pause_max_ms;
	how.batch = o->batch;
	how.rate = o->rate;
	how.poll_ms = o->poll_ms;
	how.canceled = canceled;
	how.canceled_arg = run;
	how.failed = tell_failed;
	how.failed_arg = run;
	how.trouble = tell_trouble;
	how.trouble_arg = run;
	return how;
}

static int relay(struct dbl_cli *cli, struct dbl_signals *signals)
{
	struct run run = {
		.consumer = {.cli = cli, .command = cli->words.word + 1, .signals = signals},
		.options = cli->options};
	struct dblock_relay_options how = options_of(&run);
	int rc;

	run.consumer.timeout_ms = run.options->cmd_timeout_ms;
	rc = dblock_outbox_relay(cli->client, cli->words.word[0], deliver, &run, &how, &cli->err);
	if (run.consumer.code)
		return run.consumer.code;
	return signals->caught ? DBL_EXIT_SIGNAL + signals->caught
			       : dbl_cli_ended(cli, rc, &cli->err);
}

static int check(const struct dbl_cli *cli)
{
	const struct dbl_outbox_options *o = cli->options;

	if (!cli->words.word[1][0])
		return dbl_cli_usage(cli, "CMD is empty");
	if (o->pause_max_ms && o->pause_max_ms < (o->pause_ms ? o->pause_ms : PAUSE_MS))
		return dbl_cli_usage(cli, "--pause-max is shorter than --pause, which is 1s unless "
					  "it is given");
	return DBL_EXIT_OK;
}

static int run_it(struct dbl_cli *cli)
{
	struct dbl_signals signals;
	int code;

	dbl_signals_block(&signals);
	code = relay(cli, &signals);
	dbl_cli_close(cli); /* the signal that may follow ends us */
	return dbl_signals_end(&signals, code);
}

const struct dbl_command dbl_command_outbox_run = {
	.name = "run",
	.usage = "[OPTION]... TOPIC [--] CMD [ARG]...",
	.summary = "run a command for each message of a topic",
	.about = about,
	.args = args,
	.operands = {.names = {"TOPIC", "CMD"}, .least = 2, .verbatim_from = 2},
	.client = DBL_CLIENT_OPEN,
	.check = check,
	.run = run_it,
};
