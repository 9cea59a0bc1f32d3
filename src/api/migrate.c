/* SPDX-License-Identifier: MIT */
#include "migrate/migrate.h"

#include "api/client.h"

typedef int migrate_fn(const struct dbl_target *, dblock_migration_cb *, void *, int64_t deadline,
		       struct dblock_error *);

static int migrate(migrate_fn *how, const char *url, const struct dblock_client_options *options,
		   dblock_migration_cb *cb, void *arg, struct dblock_error *err)
{
	DBL_UNCANCELED;
	const struct dbl_env *env = dbl_env_system();
	struct dbl_client_config config;
	struct dbl_target target;
	int rc = dbl_config_read(&config, options, err);

	if (rc == 0 && !url)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the URL is NULL");
	if (rc)
		return rc;
	rc = dbl_target_init(&target, url, config.schema, config.prefix, env, err);
	if (rc == 0)
		rc = how(&target, cb, arg, dbl_add(dbl_now(env), config.timeout), err);
	dbl_target_free(&target);
	return rc;
}

int dblock_migrate_up(const char *url, const struct dblock_client_options *options,
		      dblock_migration_cb *applied, void *arg, struct dblock_error *err)
{
	struct dblock_error heard = {0};

	return dbl_tell(err, &heard, migrate(dbl_migrate_up, url, options, applied, arg, &heard));
}

int dblock_migrate_status(const char *url, const struct dblock_client_options *options,
			  dblock_migration_cb *found, void *arg, struct dblock_error *err)
{
	struct dblock_error heard = {0};

	if (!found)
		return dbl_fail(err, DBLOCK_E_INVALID, "the callback is NULL");
	return dbl_tell(err, &heard, migrate(dbl_migrate_status, url, options, found, arg, &heard));
}
