/* SPDX-License-Identifier: MIT */
#include <dblock/quorum.h>

#include <string.h>

#include "api/quorum.h"
#include "base/mem.h"
#include "lock/core/name.h"
#include "lock/quorum/init.h"
#include "lock/quorum/quorum.h"
#include "lock/quorum/replace.h"

/* Which members there are, and how they are opened. */
struct members {
	struct dblock_client_options options;
	struct dblock_tuning tuning;
	const struct dbl_env *env;
	struct dbl_tally tally; /* of all that they do */
	unsigned n;
	const char *urls[DBLOCK_QUORUM_MAX];
	struct dblock_client *clients[DBLOCK_QUORUM_MAX];
};

struct quorum_client {
	struct dblock_client client; /* first: what the caller has */
	struct members members;
	char texts[]; /* what these name */
};

/* ---- what is asked for ----------------------------------------------------------------------- */

static int check_urls(const char *const urls[], size_t n, struct dblock_error *err)
{
	if (!urls)
		return dbl_fail(err, DBLOCK_E_INVALID, "urls is NULL");
	if (n < 3 || n > DBLOCK_QUORUM_MAX || n % 2 == 0)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"%zu members; a cluster has 3, 5, 7 or %d (an even number survives no "
			"more than one less): give the URLs of all",
			n, DBLOCK_QUORUM_MAX);
	for (size_t i = 0; i < n; i++) {
		if (!urls[i])
			return dbl_fail(err, DBLOCK_E_INVALID, "member %zu: the URL is NULL",
					i + 1);
		for (size_t j = 0; j < i; j++) {
			if (strcmp(urls[i], urls[j]) == 0)
				return dbl_fail(
					err, DBLOCK_E_INVALID,
					"members %zu and %zu have one URL: each is to be given "
					"once",
					j + 1, i + 1);
		}
		if (strncmp(urls[i], "sqlite:", 7) == 0)
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"member %zu is an SQLite file: it is on one machine, as its users "
				"are; a member is a server",
				i + 1);
	}
	return 0;
}

static int read_options(struct members *members, const struct dblock_client_options *given,
			struct dblock_error *err)
{
	static const struct dblock_client_options defaults = DBLOCK_CLIENT_OPTIONS_INIT;
	static const struct dblock_tuning tuning = DBLOCK_TUNING_INIT;
	struct dblock_client_options *o = &members->options;
	const char *what;
	int rc;

	*o = defaults;
	members->tuning = tuning;
	rc = dbl_options_read(o, sizeof(*o), given, "DBLOCK_CLIENT_OPTIONS", err);
	if (rc == 0)
		rc = dbl_options_read(&members->tuning, sizeof(members->tuning), o->tuning,
				      "DBLOCK_TUNING", err);
	if (rc)
		return rc;
	what = o->durability == DBLOCK_RELAXED ? "durability: a member must not forget its votes"
	       : o->observe                    ? "observe: open a client of one member to look"
	       : o->state_changed              ? "state_changed"
	       : o->alive_fd > 0               ? "alive_fd: it is for one database"
					       : NULL;
	if (what)
		return dbl_fail(err, DBLOCK_E_INVALID, "a client of several databases has no %s",
				what);
	members->tuning.size = sizeof(members->tuning);
	members->tuning.local_turns = 1;
	members->tuning.post_releases = false;
	members->tuning.park = false; /* each new connection has to be looked at */
	o->size = sizeof(*o);
	o->tuning = &members->tuning;
	return 0;
}

int dbl_quorum_options_read(struct dblock_client_options *options, struct dblock_tuning *tuning,
			    const char *const urls[], size_t n,
			    const struct dblock_client_options *given, struct dblock_error *err)
{
	struct members members = {.n = (unsigned)n};
	int rc = check_urls(urls, n, err);

	if (rc == 0)
		rc = read_options(&members, given, err);
	*options = members.options;
	*tuning = members.tuning;
	options->tuning = tuning;
	return rc;
}

/* ---- members --------------------------------------------------------------------------------- */

static int open_member(void *ctx, unsigned i, struct dbl_locks **locks, struct dblock_error *err)
{
	struct members *members = ctx;
	int rc = dbl_client_open_member(members->urls[i], &members->options, members->env,
					&members->tally, &members->clients[i], err);

	if (rc)
		return rc;
	*locks = members->clients[i]->locks;
	return 0;
}

static void close_member(void *ctx, unsigned i)
{
	struct members *members = ctx;

	(void)dblock_close(members->clients[i], NULL);
	members->clients[i] = NULL;
}

/* ---- making a cluster ------------------------------------------------------------------------ */

static int make_cluster(struct members *members, const char *cluster, int64_t max_ttl,
			bool allow_forgetful, struct dblock_error *err)
{
	struct dbl_locks *locks[DBLOCK_QUORUM_MAX];
	int rc = 0;

	for (unsigned i = 0; i < members->n && rc == 0; i++) {
		rc = open_member(members, i, &locks[i], err);
		if (rc)
			dbl_err_prefix(err, "member %u", i + 1);
	}
	if (rc == 0)
		rc = dbl_quorum_init(locks, members->n, cluster, max_ttl, allow_forgetful, err);
	for (unsigned i = 0; i < members->n; i++)
		close_member(members, i);
	return rc;
}

int dblock_quorum_init(const char *const urls[], size_t n, const char *cluster,
		       const struct dblock_quorum_options *given,
		       const struct dblock_client_options *clients, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_quorum_options o;
	struct members members = {.env = dbl_env_system(), .n = (unsigned)n};
	int64_t max_ttl = 0;
	int rc = check_urls(urls, n, &heard);

	if (rc == 0 && (!cluster || !*cluster))
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "the cluster's name is %s",
			      cluster ? "empty" : "NULL");
	if (rc == 0)
		rc = dbl_label_check("the cluster's name", cluster, DBLOCK_CLUSTER_MAX, &heard);
	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_QUORUM_OPTIONS", &heard);
	if (rc == 0)
		rc = dbl_time_read(&max_ttl, "max_ttl_ms", o.max_ttl_ms, DBLOCK_TTL_MIN_MS,
				   DBLOCK_TTL_MAX_MS, 0, &heard);
	if (rc == 0)
		rc = read_options(&members, clients, &heard);
	if (rc == 0) {
		memcpy(members.urls, urls, n * sizeof(*urls));
		rc = make_cluster(&members, cluster, max_ttl, o.allow_forgetful, &heard);
	}
	return dbl_tell(err, &heard, rc);
}

/* ---- replacing a member ---------------------------------------------------------------------- */

static void tell_wait(void *arg, int64_t us)
{
	const struct dblock_replace_options *o = arg;

	if (o->waits)
		o->waits(o->waits_arg, us / 1000);
}

/* Others that do not answer may be left out: whether too many do is for the floor below to say. */
static int replace_member(struct members *members, unsigned number,
			  struct dblock_replace_options *o, struct dblock_error *err)
{
	struct dbl_replace how = {.number = number,
				  .waits = tell_wait,
				  .arg = o,
				  .allow_forgetful = o->allow_forgetful};
	struct dbl_locks *locks[DBLOCK_QUORUM_MAX] = {NULL};
	struct dblock_error out = {0}; /* the last of the others that cannot be opened */
	int rc = 0;

	for (unsigned i = 0; i < members->n && rc == 0; i++) {
		rc = open_member(members, i, &locks[i], err);
		if (rc)
			dbl_err_prefix(err, "member %u", i + 1);
		if (rc && rc != DBLOCK_E_INVALID && i + 1 != number) {
			out = *err;
			rc = 0;
		}
	}
	if (rc == 0)
		rc = dbl_quorum_replace(locks, members->n, &how, err);
	if (rc == DBLOCK_E_NO_ANSWER && out.code)
		dbl_err_suffix(err, " (%s)", out.message);
	for (unsigned i = 0; i < members->n; i++)
		close_member(members, i);
	return rc;
}

int dblock_quorum_replace(const char *const urls[], size_t n, unsigned member,
			  const struct dblock_replace_options *given,
			  const struct dblock_client_options *clients, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_replace_options o;
	struct members members = {.env = dbl_env_system(), .n = (unsigned)n};
	int rc = check_urls(urls, n, &heard);

	if (rc == 0 && (member < 1 || member > n))
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "member is %u; there are 1 to %zu", member,
			      n);
	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_REPLACE_OPTIONS", &heard);
	if (rc == 0)
		rc = read_options(&members, clients, &heard);
	if (rc == 0) {
		memcpy(members.urls, urls, n * sizeof(*urls));
		rc = replace_member(&members, member, &o, &heard);
	}
	return dbl_tell(err, &heard, rc);
}

/* ---- a client -------------------------------------------------------------------------------- */

static size_t size_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static const char *keep(char **to, const char *text)
{
	char *kept = *to;

	if (!text)
		return NULL;
	memcpy(kept, text, size_of(text));
	*to += size_of(text);
	return kept;
}

/* With copies of what members are opened by, as that may come later. NULL: no memory. */
static struct quorum_client *client_new(const char *const urls[], const struct members *given)
{
	size_t size = size_of(given->options.app) + size_of(given->options.prefix) +
		      size_of(given->options.schema);
	struct quorum_client *c;
	char *to;

	for (unsigned i = 0; i < given->n; i++)
		size += size_of(urls[i]);
	c = dbl_alloc(sizeof(*c) + size);
	if (!c)
		return NULL;
	to = c->texts;
	c->members = *given;
	c->members.options.tuning = &c->members.tuning;
	c->members.options.app = keep(&to, given->options.app);
	c->members.options.prefix = keep(&to, given->options.prefix);
	c->members.options.schema = keep(&to, given->options.schema);
	for (unsigned i = 0; i < given->n; i++)
		c->members.urls[i] = keep(&to, urls[i]);
	c->client.pid = dbl_host_pid();
	c->client.limits = DBL_LOCKS_ONLY;
	c->client.connections = &c->members.tally;
	return c;
}

int dbl_client_quorum_open(const char *const urls[], size_t n,
			   const struct dblock_client_options *options, const struct dbl_env *env,
			   struct dblock_client **client, struct dblock_error *err)
{
	struct members members = {.env = env, .n = (unsigned)n};
	struct dbl_quorum_opener opener = {.open = open_member, .close = close_member};
	struct dbl_client_config config;
	struct quorum_client *c;
	int rc;

	if (!client)
		return dbl_fail(err, DBLOCK_E_INVALID, "client is NULL");
	*client = NULL;
	rc = check_urls(urls, n, err);
	if (rc == 0)
		rc = read_options(&members, options, err);
	if (rc == 0)
		rc = dbl_config_read(&config, &members.options, err);
	if (rc)
		return rc;
	c = client_new(urls, &members);
	if (!c)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	opener.ctx = &c->members;
	c->client.tally.trace = config.trace;
	rc = dbl_quorum_open(&c->client.locks, env, &c->client.tally, (unsigned)n, config.ttl,
			     members.options.ttl_ms != 0, config.timeout, &opener, err);
	if (rc)
		dbl_free(c);
	else
		*client = &c->client;
	return rc;
}

int dblock_quorum_open(const char *const urls[], size_t n,
		       const struct dblock_client_options *options, struct dblock_client **client,
		       struct dblock_error *err)
{
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard,
			dbl_client_quorum_open(urls, n, options, dbl_env_system(), client, &heard));
}

int dbl_client_quorum_close(struct dblock_client *client, struct dblock_error *err)
{
	int rc = dbl_quorum_check_unused(client->locks, err);

	if (rc)
		return rc;
	dbl_quorum_close(client->locks);
	dbl_free(client);
	return DBLOCK_OK;
}
