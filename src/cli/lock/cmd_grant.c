/* SPDX-License-Identifier: MIT */
/* dblock acquire, renew, release: a grant with its own end, for scripts that hold a lock across
 * several processes. */
#include <inttypes.h>
#include <stdio.h>

#include <dblock/admin.h>
#include <dblock/pool.h>

#include "cli/lock/take.h"
#include "cli/ui/print.h"

struct renew_options {
	int64_t lease_ms;
};

static const struct dbl_arg renew_args[] = {
	DBL_DURATION_ARG("lease", 0, offsetof(struct renew_options, lease_ms), DBLOCK_LEASE_MIN_MS,
			 DBLOCK_LEASE_MAX_MS, "the grant ends so long from now"),
	{0},
};

static const char acquire_about[] =
	"Takes the lock NAME and prints its fencing token. The grant outlives this program:\n"
	"it ends after --lease, unless `dblock renew` gives it a new end or `dblock release`\n"
	"gives it back before. With --numbered it prints which permits it has as well: `17 0,3`.\n"
	"\n"
	"  token=$(dblock acquire nightly -w 1m --lease 10m) || exit\n"
	"  ...\n"
	"  dblock release nightly \"$token\"\n";

static const char renew_about[] =
	"Gives the grant TOKEN of the lock NAME a new end, so long from now. Exit code 1: that\n"
	"grant does not hold the lock any more, or has no end of its own.\n";

static const char release_about[] =
	"Gives back the grant TOKEN of the lock NAME. Exit code 1: that grant does not hold the\n"
	"lock any more; nobody else's grant is touched. If a running client has it, that is told\n"
	"and waited for, for --call-timeout at most: then 75, and the release stands.\n";

/* Print the grant; lease_ms 0: it got no new end. */
static int print_json(const struct dbl_cli *cli, int64_t token, int64_t lease_ms)
{
	json_t *object = json_object();

	dbl_json_text(object, "name", cli->words.word[0]);
	dbl_json_number(object, "token", token);
	if (lease_ms)
		dbl_json_number(object, "lease_ms", lease_ms);
	return dbl_json_line(object);
}

/* The token, and behind a blank which permits it has, if they are numbered: "17 0,3". */
static int print_line(const struct dblock_lock *lock)
{
	int64_t number;

	printf("%" PRId64, dblock_token(lock));
	for (size_t i = 0; (number = dblock_permit_of(lock, i)) >= 0; i++)
		printf("%c%" PRId64, i ? ',' : ' ', number);
	return putchar('\n') < 0 || dbl_out_flush();
}

static int print_grant(const struct dbl_cli *cli, const struct dblock_lock *lock)
{
	json_t *object, *numbers;
	int64_t number;

	if (!cli->json)
		return print_line(lock);
	if (dblock_permit_of(lock, 0) < 0)
		return print_json(cli, dblock_token(lock), 0) || dbl_out_flush();
	object = json_object();
	numbers = json_array();
	dbl_json_text(object, "name", cli->words.word[0]);
	dbl_json_number(object, "token", dblock_token(lock));
	for (size_t i = 0; (number = dblock_permit_of(lock, i)) >= 0; i++)
		json_array_append_new(numbers, json_integer(number));
	json_object_set_new(object, "numbers", numbers);
	return dbl_json_line(object) || dbl_out_flush();
}

static int take_and_tell(struct dbl_cli *cli, const struct dbl_take *take,
			 struct dbl_signals *signals)
{
	struct dblock_lock *lock;
	int code;

	if (!dbl_take(cli, cli->client, cli->words.word[0], take, signals, &lock, &code))
		return code;
	if (print_grant(cli, lock) == 0)
		return DBL_EXIT_OK;
	/* If nobody gets the token, nobody can give the lock back. */
	dblock_release(lock, NULL);
	dbl_cli_error(cli, "the token could not be written; the lock was released");
	return DBL_EXIT_IO;
}

static int check_acquire(const struct dbl_cli *cli)
{
	const struct dbl_take *take = cli->options;

	if (!take->how.lease_ms)
		return dbl_cli_usage(cli, "--lease is missing: a grant that outlives this program "
					  "needs an end of its own");
	return dbl_take_check(cli, take);
}

static int acquire(struct dbl_cli *cli)
{
	struct dbl_take take = *(const struct dbl_take *)cli->options;
	struct dbl_signals signals;
	int code;

	dbl_signals_block(&signals);
	if (dbl_enter(cli, 0, &take, &signals, &cli->client, &code))
		code = take_and_tell(cli, &take, &signals);
	dbl_cli_close(cli);
	return dbl_signals_end(&signals, code);
}

struct sought {
	int64_t token;
	bool session;
};

static int seek(void *arg, const struct dblock_holder *holder)
{
	struct sought *sought = arg;

	if (holder->token == sought->token && holder->hold == DBLOCK_HOLD_SESSION)
		sought->session = true;
	return 0;
}

/* Tell why it was not renewed: the grant may be valid, but end only with its session. */
static int not_renewed(const struct dbl_cli *cli)
{
	struct sought sought = {.token = cli->token};
	const char *name = cli->words.word[0];

	if (dblock_show(cli->client, name, seek, &sought, NULL) != DBLOCK_OK || !sought.session)
		return dbl_cli_ended(cli, DBLOCK_STALE, &cli->err);
	dbl_cli_note(cli,
		     "'%s' is held by the grant with token %" PRId64 ", but without an end of its "
		     "own: as long as its session lives; there is nothing to renew",
		     name, cli->token);
	return dbl_cli_exit(cli, DBLOCK_STALE);
}

static int done(const struct dbl_cli *cli, int rc, int64_t lease_ms)
{
	if (rc == DBLOCK_OK && cli->json)
		return print_json(cli, cli->token, lease_ms) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
	return dbl_cli_ended(cli, rc, &cli->err);
}

static int check_renew(const struct dbl_cli *cli)
{
	const struct renew_options *o = cli->options;

	if (!o->lease_ms)
		return dbl_cli_usage(cli, "--lease is missing: how long from now the grant ends");
	return DBL_EXIT_OK;
}

static int renew(struct dbl_cli *cli)
{
	int64_t lease_ms = ((const struct renew_options *)cli->options)->lease_ms;
	int rc = dblock_extend_token(cli->client, cli->words.word[0], cli->token, lease_ms,
				     &cli->err);

	return rc == DBLOCK_STALE ? not_renewed(cli) : done(cli, rc, lease_ms);
}

static int release(struct dbl_cli *cli)
{
	int rc = dblock_release_token(cli->client, cli->words.word[0], cli->token, &cli->err);

	return done(cli, rc, 0);
}

const struct dbl_command dbl_command_acquire = {
	.name = "acquire",
	.usage = "NAME --lease DUR [OPTION]...",
	.summary = "take a lock with an end of its own, and print its token",
	.about = acquire_about,
	.shared_args = dbl_take_args,
	.operands = {.names = {"NAME"}, .least = 1},
	.defaults = &(const struct dbl_take)DBL_TAKE_INIT,
	.size = sizeof(struct dbl_take),
	.check = check_acquire,
	.run = acquire,
};

const struct dbl_command dbl_command_renew = {
	.name = "renew",
	.usage = "NAME TOKEN --lease DUR",
	.summary = "give such a lock a new end",
	.about = renew_about,
	.args = renew_args,
	.operands = {.names = {"NAME", "TOKEN"}, .least = 2},
	.client = DBL_CLIENT_OPEN,
	.check = check_renew,
	.run = renew,
};

const struct dbl_command dbl_command_release = {
	.name = "release",
	.usage = "NAME TOKEN",
	.summary = "give such a lock back",
	.about = release_about,
	.operands = {.names = {"NAME", "TOKEN"}, .least = 2},
	.client = DBL_CLIENT_OPEN,
	.run = release,
};
