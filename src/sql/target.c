/* SPDX-License-Identifier: MIT */
#include "sql/target.h"

#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"

/* Make a file's path absolute: a program that changes its folder must not open another file, with
 * other locks, by its next connection. */
static int fix_path(struct dbl_url *url, struct dblock_error *err)
{
	char *full;

	if (!url->path || !*url->path || *url->path == '/' || strcmp(url->path, ":memory:") == 0)
		return 0;
	full = dbl_fs_full_path(url->path);
	if (!full)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: the current folder cannot be told (%s); name the file from "
				"the root",
				url->path, strerror(errno));
	dbl_free(url->path);
	url->path = full;
	return 0;
}

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

/* The parameter is ours: the client library must not see it. */
static int read_pool_mode(struct dbl_target *target, struct dblock_error *err)
{
	const char *said = dbl_url_param(&target->url, "pool");

	target->pooled = dbl_alloc(sizeof(*target->pooled));
	if (!target->pooled)
		return no_memory(err);
	if (!said || !target->dialect->pools)
		return 0;
	if (strcmp(said, "session") == 0)
		target->pool_mode = DBL_POOL_SESSION;
	else if (strcmp(said, "transaction") == 0)
		target->pool_mode = DBL_POOL_TRANSACTION;
	else
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: pool=%.20s: write pool=transaction or pool=session, as the "
				"pooler's mode is; in another mode there are no transactions",
				said);
	return dbl_url_take(&target->url, "pool", err);
}

/* Likewise. All but the hosts is as it is through the pooler, but for what is known of that. */
static int read_direct(struct dbl_target *target, struct dblock_error *err)
{
	const char *hosts = dbl_url_param(&target->url, "direct");
	struct dbl_target *direct;
	int rc;

	if (!hosts || !target->dialect->pools)
		return 0;
	rc = dbl_url_take(&target->url, "direct", err);
	if (rc)
		return rc;
	if (!*hosts)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: direct= is empty: write host:port of the server that is "
				"behind the pooler");
	direct = target->direct = dbl_alloc(sizeof(*direct));
	if (!direct)
		return no_memory(err);
	*direct = (struct dbl_target){
		.env = target->env, .dialect = target->dialect, .durability = target->durability};
	direct->pooled = dbl_alloc(sizeof(*direct->pooled));
	if (!direct->pooled)
		return no_memory(err);
	rc = dbl_url_elsewhere(&direct->url, &target->url, hosts, err);
	if (rc)
		dbl_err_prefix(err, "direct=%.80s", hosts);
	return rc;
}

static int fill(struct dbl_target *target, const char *schema, const char *prefix,
		struct dblock_error *err)
{
	const struct dbl_env *env = target->env;
	int rc = dbl_names_init(&target->names, target->dialect, schema, prefix, err);

	if (rc)
		return rc;
	target->driver = target->dialect->driver;
	if (env->intercept)
		target->driver = env->intercept(env->ctx, target->driver);
	return 0;
}

int dbl_target_init(struct dbl_target *target, const char *url, const char *schema,
		    const char *prefix, const struct dbl_env *env, struct dblock_error *err)
{
	int rc;

	*target = (struct dbl_target){.env = env, .durability = DBLOCK_DURABLE};
	rc = dbl_url_parse(&target->url, url, err);
	if (rc == 0)
		rc = dbl_dialect_find(target->url.scheme, &target->dialect, err);
	if (rc == 0)
		rc = read_pool_mode(target, err);
	if (rc == 0)
		rc = read_direct(target, err);
	if (rc == 0 && target->dialect->is_file)
		rc = fix_path(&target->url, err);
	if (rc == 0)
		rc = fill(target, schema, prefix, err);
	if (rc == 0 && target->direct)
		rc = fill(target->direct, schema, prefix, err);
	return rc;
}

int dbl_target_adopt(struct dbl_target *target, const char *dialect, const char *schema,
		     const char *prefix, const struct dbl_env *env, struct dblock_error *err)
{
	int rc;

	*target = (struct dbl_target){.env = env, .durability = DBLOCK_DURABLE};
	target->url.shown = dbl_strdup("the caller's connection");
	if (!target->url.shown)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_dialect_find(dialect, &target->dialect, err);
	return rc ? rc : fill(target, schema, prefix, err);
}

void dbl_target_writes(struct dbl_target *target, bool writes)
{
	target->url.writes = writes;
	target->url.looks = !writes;
	if (target->direct)
		target->direct->url.writes = writes;
}

void dbl_target_count(struct dbl_target *target, struct dbl_tally *tally)
{
	target->tally = tally;
	if (target->direct)
		target->direct->tally = tally;
}

void dbl_target_free(struct dbl_target *target)
{
	if (target->direct)
		dbl_target_free(target->direct);
	dbl_free(target->direct);
	dbl_free(target->pooled);
	dbl_url_free(&target->url);
}
