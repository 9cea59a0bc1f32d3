/* SPDX-License-Identifier: MIT */
/* dblock acquire, renew, release: a grant with its own end, for scripts that hold a lock from one
 * process to the next. */
#include <inttypes.h>
#include <stdio.h>

#include <dblock/admin.h>

#include "cli/lock/commands.h"
#include "cli/lock/enter.h"
#include "cli/lock/take.h"
#include "cli/ui/duration.h"
#include "cli/ui/exits.h"
#include "cli/ui/json.h"

struct acquire_options {
	struct dbl_take take;
};

struct renew_options {
	int64_t lease_ms;
};

static const struct dbl_arg renew_args[] = {
	{"lease", 0, DBL_ARG_DURATION, offsetof(struct renew_options, lease_ms), "DUR",
	 DBLOCK_LEASE_MIN_MS, DBLOCK_LEASE_MAX_MS, "the grant ends so long from now"},
	{0},
};

static const char acquire_about[] =
	"Takes the lock NAME and prints its fencing token. The grant outlives this program:\n"
	"it ends after --lease, unless `dblock renew` gives it a new end or `dblock release`\n"
	"gives it back before.\n"
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

static int print_token(const struct dbl_cli *cli, const char *name, int64_t token)
{
	json_t *object = cli->json ? json_object() : NULL;

	if (!cli->json)
		return printf("%" PRId64 "\n", token) < 0 || fflush(stdout);
	dbl_json_text(object, "name", name);
	dbl_json_number(object, "token", token);
	return dbl_json_line(object) || fflush(stdout) || ferror(stdout);
}

static int take_and_tell(const struct dbl_cli *cli, struct dblock_client *client, const char *name,
			 const struct dbl_take *take, struct dbl_signals *signals)
{
	struct dblock_lock *lock;
	int code;

	if (!dbl_take(cli, client, name, take, signals, &lock, &code))
		return code;
	if (print_token(cli, name, dblock_token(lock)) == 0)
		return DBL_EXIT_OK;
	/* A token that nobody has got is a lock that nobody can give back. */
	dblock_release(lock, NULL);
	dbl_cli_error(cli, "the token could not be written; the lock was released");
	return DBL_EXIT_IO;
}

static int acquire(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	struct dbl_take take = ((const struct acquire_options *)options)->take;
	struct dblock_client *client;
	struct dbl_signals signals;
	int code;

	if (!take.lease_ms)
		return dbl_cli_usage(cli, "--lease is missing: a grant that outlives this program "
					  "needs an end of its own");
	code = dbl_take_check(cli, &take);
	if (code != DBL_EXIT_OK)
		return code;
	dbl_signals_block(&signals);
	if (dbl_enter(cli, 0, &take, &signals, &client, &code)) {
		code = take_and_tell(cli, client, words->word[0], &take, &signals);
		dblock_close(client);
	}
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

/* Why it was not renewed: it may hold the lock all the same, but as long as a session lives. */
static int not_renewed(const struct dbl_cli *cli, struct dblock_client *client, const char *name,
		       int64_t token, const struct dblock_error *err)
{
	struct sought sought = {.token = token};

	if (dblock_show(client, name, seek, &sought, NULL) != DBLOCK_OK || !sought.session)
		return dbl_cli_failed(cli, DBLOCK_STALE, err);
	dbl_cli_note(cli,
		     "'%s' is held by the grant with token %" PRId64 ", but without an end of its "
		     "own: as long as its session lives; there is nothing to renew",
		     name, token);
	return dbl_cli_exit(cli, DBLOCK_STALE);
}

static int print_done(const struct dbl_cli *cli, const char *name, int64_t token, int64_t lease_ms)
{
	json_t *object;

	if (!cli->json)
		return DBL_EXIT_OK;
	object = json_object();
	dbl_json_text(object, "name", name);
	dbl_json_number(object, "token", token);
	if (lease_ms)
		dbl_json_number(object, "lease_ms", lease_ms);
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

/* lease_ms 0: release. */
static int by_token(const struct dbl_cli *cli, const struct dbl_words *words, int64_t lease_ms)
{
	const char *name = words->word[0];
	struct dblock_client *client;
	struct dblock_error err = {0};
	int64_t token;
	int rc, code = dbl_cli_token(cli, words->word[1], &token);

	if (code == DBL_EXIT_OK)
		code = dbl_cli_open(cli, 0, &client);
	if (code != DBL_EXIT_OK)
		return code;
	if (lease_ms)
		rc = dblock_extend_token(client, name, token, lease_ms, &err);
	else
		rc = dblock_release_token(client, name, token, &err);
	if (rc == DBLOCK_OK)
		code = print_done(cli, name, token, lease_ms);
	else if (rc == DBLOCK_STALE && lease_ms)
		code = not_renewed(cli, client, name, token, &err);
	else
		code = dbl_cli_failed(cli, rc, &err);
	dblock_close(client);
	return code;
}

static int renew(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct renew_options *o = options;

	if (!o->lease_ms)
		return dbl_cli_usage(cli, "--lease is missing: how long from now the grant ends");
	return by_token(cli, words, o->lease_ms);
}

static int release(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	(void)options;
	return by_token(cli, words, 0);
}

static const char *const name_only[] = {"NAME", NULL};
static const char *const name_and_token[] = {"NAME", "TOKEN", NULL};
static const struct acquire_options acquire_defaults = {DBL_TAKE_INIT};
static const struct renew_options renew_defaults = {0};

const struct dbl_command dbl_command_acquire = {
	.name = "acquire",
	.usage = "NAME --lease DUR [OPTION]...",
	.summary = "take a lock with an end of its own, and print its token",
	.about = acquire_about,
	.shared_args = dbl_take_args,
	.operands = {name_only, 1, 0},
	.defaults = &acquire_defaults,
	.size = sizeof(acquire_defaults),
	.run = acquire,
};

const struct dbl_command dbl_command_renew = {
	.name = "renew",
	.usage = "NAME TOKEN --lease DUR",
	.summary = "give such a lock a new end",
	.about = renew_about,
	.args = renew_args,
	.operands = {name_and_token, 2, 0},
	.defaults = &renew_defaults,
	.size = sizeof(renew_defaults),
	.run = renew,
};

const struct dbl_command dbl_command_release = {
	.name = "release",
	.usage = "NAME TOKEN",
	.summary = "give such a lock back",
	.about = release_about,
	.operands = {name_and_token, 2, 0},
	.run = release,
};
