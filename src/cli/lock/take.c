/* SPDX-License-Identifier: MIT */
#include "cli/lock/take.h"

#include <inttypes.h>
#include <string.h>

#include "cli/lock/wait_line.h"
#include "cli/ui/print.h"

#define AT(member) offsetof(struct dbl_take, member)

#define WAIT_ARG(name, letter, help)                                                               \
	DBL_DURATION_ARG(name, letter, AT(wait_ms), 0, DBL_DURATION_MAX_MS, help)

/* All names that flock(1) has for its options are here. */
const struct dbl_arg dbl_take_args[] = {
	DBL_FLAG_ARG("nonblock", 'n', AT(nonblock), "do not wait if somebody else holds the lock"),
	DBL_FLAG_ARG("nb", 0, AT(nonblock), "the same"),
	WAIT_ARG("wait", 'w', "wait so long at most; default: for ever"),
	WAIT_ARG("timeout", 0, "the same"),
	DBL_FLAG_ARG("exclusive", 'x', AT(exclusive), "hold it alone: the default"),
	DBL_FLAG_ARG("exclusive", 'e', AT(exclusive), "the same"),
	DBL_FLAG_ARG("shared", 's', AT(shared), "hold it together with others that share it"),
	DBL_FLAG_ARG("update", 0, AT(update), "the same, but one of these at a time"),
	DBL_TEXT_ARG("permits", 'p', AT(permits), "N/CAP", "N permits of a semaphore that has CAP"),
	DBL_TEXT_ARG("capacity", 0, AT(capacity), "CAP",
		     "it has so many, or `stored`: as `dblock pool resize` says"),
	DBL_FLAG_ARG("numbered", 0, AT(how.numbered), "say which permits: in $DBLOCK_PERMIT"),
	DBL_FLAG_ARG("unfair", 0, AT(unfair), "if it is free, take it past those who wait in line"),
	{"priority", 0, DBL_ARG_NUMBER, AT(priority), "N", DBLOCK_PRIORITY_MIN, DBLOCK_PRIORITY_MAX,
	 "in line it counts as if it had come N x 10 s earlier", NULL},
	DBL_DURATION_ARG("lease", 0, AT(how.lease_ms), DBLOCK_LEASE_MIN_MS, DBLOCK_LEASE_MAX_MS,
			 "the grant ends by itself after so long"),
	DBL_DURATION_ARG("at-least", 0, AT(how.at_least_ms), 0, DBLOCK_LEASE_MAX_MS,
			 "keep the name taken so long, even if released before"),
	DBL_TEXT_ARG("value", 0, AT(how.value), "TEXT", "text for others to see, at most 1 KiB"),
	DBL_FLAG_ARG("verbose", 0, AT(verbose), "say on stderr how long it took to get the lock"),
	{0},
};

/* An option that excludes others. */
struct option {
	const char *name;
	bool given;
};

static int check_apart(const struct dbl_cli *cli, const struct option *these, size_t n,
		       const struct option *those, size_t n_those)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_those; k++)
			if (these[i].given && those[k].given && &these[i] != &those[k])
				return dbl_cli_usage(cli, "%s and %s do not go together",
						     these[i].name, those[k].name);
	return DBL_EXIT_OK;
}

/* Refuse pairs of options of which only one could be heeded. */
static int check_times(const struct dbl_cli *cli, const struct dbl_take *take)
{
	if (take->nonblock && take->wait_ms >= 0)
		return dbl_cli_usage(cli, "--nonblock and --wait do not go together");
	if (take->how.lease_ms && take->how.at_least_ms > take->how.lease_ms)
		return dbl_cli_usage(cli, "--at-least is longer than --lease: the grant would end "
					  "before it may be given back");
	return DBL_EXIT_OK;
}

int dbl_take_check(const struct dbl_cli *cli, const struct dbl_take *take)
{
	const struct option modes[] = {{"--exclusive", take->exclusive},
				       {"--shared", take->shared},
				       {"--update", take->update},
				       {"--permits", dbl_permits_wanted(take)}};
	const struct option others[] = {{"--permits", dbl_permits_wanted(take)},
					{"--unfair", take->unfair},
					{"--once", take->slot != NULL},
					{"--lease", take->how.lease_ms != 0},
					{"--at-least", take->how.at_least_ms != 0},
					{"--priority", take->priority != 0}};
	enum { N_OTHERS = sizeof(others) / sizeof(*others) };
	const struct option also = {"--also", take->also.n > 0};
	const struct option any[] = {{"--any", take->any.n > 0}};
	const struct option tree[] = {{"--tree", take->tree}};
	const struct option alone[] = {{"--also", take->also.n > 0},
				       {"--unfair", take->unfair},
				       {"--once", take->slot != NULL}};
	int code = check_apart(cli, modes, 4, modes, 4);

	/* --unfair and --once are only for exclusive locks. */
	if (code == DBL_EXIT_OK)
		code = check_apart(cli, modes + 1, 3, others + 1, 2);
	if (code == DBL_EXIT_OK)
		code = check_apart(cli, &also, 1, others, N_OTHERS);
	if (code == DBL_EXIT_OK)
		code = check_apart(cli, tree, 1, others, N_OTHERS);
	if (code == DBL_EXIT_OK)
		code = check_apart(cli, tree, 1, alone, 1);
	if (code == DBL_EXIT_OK)
		code = check_apart(cli, any, 1, tree, 1);
	if (code == DBL_EXIT_OK)
		code = check_apart(cli, any, 1, alone, 3);
	if (code == DBL_EXIT_OK)
		code = dbl_any_check(cli, &take->any);
	if (code == DBL_EXIT_OK)
		code = check_times(cli, take);
	if (code == DBL_EXIT_OK)
		code = dbl_permits_check(cli, take);
	if (code == DBL_EXIT_OK && take->how.numbered && !dbl_permits_wanted(take))
		return dbl_cli_usage(cli, "--numbered is for --permits: of one lock there is one");
	return code;
}

static enum dblock_mode mode(const struct dbl_take *take)
{
	if (dbl_permits_wanted(take))
		return DBLOCK_PERMITS;
	if (take->update)
		return DBLOCK_UPDATE;
	return take->shared ? DBLOCK_SHARED : DBLOCK_EXCLUSIVE;
}

static struct dblock_acquire_options options(const struct dbl_take *take,
					     struct dbl_signals *signals)
{
	struct dblock_acquire_options options = take->how;

	options.wait_ms = take->wait_ms > 0 ? take->wait_ms : 0;
	options.unfair = take->unfair;
	options.priority = (int)take->priority;
	options.mode = mode(take);
	if (dbl_permits_wanted(take))
		dbl_permits_read(take, &options);
	options.canceled = dbl_signals_pending;
	options.canceled_arg = signals;
	return options;
}

static void tell_trouble(void *arg, const struct dblock_error *why)
{
	struct dbl_wait_line *line = arg;

	dbl_wait_line_clear(line);
	dbl_cli_error(line->cli, "%s; the campaign goes on", why->message);
}

/* Campaign with those of the options that a campaign has. */
static int campaign(struct dblock_client *client, const char *name,
		    const struct dblock_acquire_options *o, struct dbl_wait_line *line,
		    struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_elect_options how = DBLOCK_ELECT_OPTIONS_INIT;

	how.value = o->value;
	how.lost = o->lost;
	how.lost_arg = o->lost_arg;
	how.wait_ms = o->wait_ms;
	how.canceled = o->canceled;
	how.canceled_arg = o->canceled_arg;
	how.waiting = o->waiting;
	how.waiting_arg = o->waiting_arg;
	how.trouble = tell_trouble;
	how.trouble_arg = line;
	return dblock_elect(client, name, &how, lock, err);
}

/* Take all the locks or none, all in the same mode. */
static int take_all(struct dblock_client *client, const char *name, const struct dbl_take *take,
		    const struct dblock_acquire_options *given, bool at_once,
		    struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_lock_spec wants[DBL_TEXTS_MAX + 1] = {{.name = name, .mode = given->mode}};
	struct dblock_acquire_options o = *given;

	for (size_t i = 0; i < take->also.n; i++)
		wants[i + 1] =
			(struct dblock_lock_spec){.name = take->also.text[i], .mode = given->mode};
	o.mode = DBLOCK_EXCLUSIVE; /* the common mode; each name has its own */
	o.waiting = NULL;
	return (at_once ? dblock_try_all : dblock_acquire_all)(client, wants, take->also.n + 1, &o,
							       lock, err);
}

static int take_tree(struct dblock_client *client, const char *path,
		     const struct dblock_acquire_options *given, bool at_once,
		     struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_acquire_options o = *given;

	o.waiting = NULL;
	return (at_once ? dblock_try_tree : dblock_acquire_tree)(client, path, &o, lock, err);
}

/* Whichever of the names the runs around us hold; NULL: none. */
static const char *own_name(struct dblock_client *client, const char *name,
			    const struct dbl_take *take)
{
	bool exclusive = mode(take) == DBLOCK_EXCLUSIVE;
	const char *own = NULL;

	if (dbl_permits_wanted(take))
		return NULL;
	if (dbl_nested_holds(client, name, exclusive))
		own = name;
	for (size_t i = 0; i < take->also.n && !own; i++)
		if (dbl_nested_holds(client, take->also.text[i], exclusive))
			own = take->also.text[i];
	return own;
}

static int wait_for_itself(const char *name, struct dblock_error *err)
{
	err->code = DBLOCK_DEADLOCK;
	snprintf(err->message, sizeof(err->message),
		 "'%s' is held by the run that this one is inside of: it would wait for itself",
		 name);
	return DBLOCK_DEADLOCK;
}

static int take(struct dblock_client *client, const char *name, const struct dbl_take *take,
		const struct dblock_acquire_options *o, struct dblock_lock **lock,
		struct dblock_error *err)
{
	bool at_once = take->nonblock || take->wait_ms == 0;
	bool looks = take->nested && !at_once && !take->any.n;
	const char *own = looks ? own_name(client, name, take) : NULL;
	int rc;

	if (take->any.n)
		rc = dbl_any_take(client, &take->any, o, at_once, take->nested && !take->permits,
				  lock, err);
	else if (take->tree)
		rc = take_tree(client, name, o, at_once || own, lock, err);
	else if (take->also.n)
		rc = take_all(client, name, take, o, at_once || own, lock, err);
	else if (take->slot)
		rc = (at_once || own ? dblock_once_try : dblock_once)(client, name, take->slot, o,
								      lock, err);
	/* A wait with a time limit needs no detection of deadlocks. */
	else if (take->nested && take->wait_ms < 0 && !at_once && !own)
		rc = dbl_nested_acquire(take->nested, client, name, o, lock, err);
	else
		rc = (at_once || own ? dblock_try : dblock_acquire)(client, name, o, lock, err);
	return own && rc == DBLOCK_BUSY ? wait_for_itself(own, err) : rc;
}

/* Tell that the lock was taken, as flock(1) does. */
static void tell_took(const struct dbl_cli *cli, const char *name, int64_t us)
{
	dbl_cli_error(cli, "lock '%s' was had after %" PRId64 ".%06" PRId64 " s", name,
		      us / 1000000, us % 1000000);
}

bool dbl_take(const struct dbl_cli *cli, struct dblock_client *client, const char *name,
	      const struct dbl_take *how, struct dbl_signals *signals, struct dblock_lock **lock,
	      int *code)
{
	struct dblock_acquire_options o = options(how, signals);
	struct dbl_wait_line line = {.cli = cli};
	struct dblock_error err = {0};
	int64_t began = dbl_now_us();
	int rc;

	if (dbl_wait_line_wanted(cli)) {
		o.waiting = dbl_wait_line_show;
		o.waiting_arg = &line;
	}
	rc = how->campaign ? campaign(client, name, &o, &line, lock, &err)
			   : take(client, name, how, &o, lock, &err);
	dbl_wait_line_clear(&line);
	/* A signal came just before or after the grant: nothing has been begun. */
	if (dbl_signals_pending(signals)) {
		if (rc == DBLOCK_OK)
			dblock_release(*lock, NULL);
		*lock = NULL;
		*code = DBL_EXIT_SIGNAL + signals->caught;
		return false;
	}
	if (rc == DBLOCK_OK && how->verbose)
		tell_took(cli, how->any.n ? dblock_name(*lock) : name, dbl_now_us() - began);
	if (rc == DBLOCK_OK)
		return true;
	dbl_cli_ended(cli, rc, &err);
	*code = rc > 0 && rc != DBLOCK_DONE ? (int)how->busy : dbl_cli_exit(cli, rc);
	return false;
}
