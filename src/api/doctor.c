/* SPDX-License-Identifier: MIT */
#include "doctor/doctor.h"

#include <stdio.h>

#include "api/client.h"
#include "migrate/command/migrate.h"

static int count(void *arg, const struct dblock_migration *migration)
{
	struct dbl_doctor_schema *schema = arg;
	int open = schema->pending + schema->running;

	schema->changed += migration->changed;
	switch (migration->state) {
	case DBLOCK_MIGRATION_APPLIED:
		schema->applied++;
		break;
	case DBLOCK_MIGRATION_PENDING:
		schema->pending++;
		break;
	case DBLOCK_MIGRATION_MISSING:
		schema->newer++;
		break;
	default:
		schema->running++;
	}
	if (open == 0 && schema->pending + schema->running > 0)
		snprintf(schema->first, sizeof(schema->first), "%04lld_%.100s",
			 (long long)migration->version, migration->name);
	return 0;
}

static int examine(const struct dbl_target *target, int64_t timeout, dblock_finding_cb *found,
		   void *arg, struct dblock_error *err)
{
	int64_t deadline = dbl_add(dbl_now(target->env), timeout);
	struct dbl_doctor_schema schema = {.rc = 0};
	struct dbl_migrate ask = {
		.target = target, .timeout = timeout, .cb = count, .arg = &schema};

	schema.rc = dbl_migrate_status(&ask, &schema.err);
	/* The error does not say whether the history cannot be read or the database not be reached;
	 * the doctor's own connection will. */
	return dbl_doctor(target, &schema, deadline, found, arg, err);
}

int dbl_client_doctor(const char *url, const struct dblock_client_options *options,
		      const struct dbl_env *env, dblock_finding_cb *found, void *arg,
		      struct dblock_error *err)
{
	struct dblock_error heard = {0};
	struct dbl_client_config config;
	struct dbl_target target;
	int rc = dbl_config_read(&config, options, err);

	if (rc == 0 && !url)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the URL is NULL");
	if (rc == 0 && !found)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the callback is NULL");
	if (rc)
		return rc;
	rc = dbl_target_init(&target, url, config.schema, config.prefix, env, &heard);
	if (rc == 0)
		rc = dbl_target_endure(&target, config.durability, &heard);
	if (rc == 0)
		rc = examine(&target, config.timeout, found, arg, &heard);
	dbl_target_free(&target);
	return dbl_tell(err, &heard, rc);
}

int dblock_doctor(const char *url, const struct dblock_client_options *options,
		  dblock_finding_cb *found, void *arg, struct dblock_error *err)
{
	DBL_UNCANCELED;

	return dbl_client_doctor(url, options, dbl_env_system(), found, arg, err);
}

const char *dblock_severity_name(enum dblock_severity severity)
{
	static const char *const names[] = {"ok", "warning", "wrong"};

	return (unsigned)severity < 3 ? names[severity] : "unknown";
}
