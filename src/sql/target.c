/* SPDX-License-Identifier: MIT */
#include "sql/target.h"

#include <stddef.h>

int dbl_target_init(struct dbl_target *target, const char *url, const char *schema,
		    const char *prefix, const struct dbl_env *env, struct dblock_error *err)
{
	int rc;

	*target = (struct dbl_target){.env = env};
	rc = dbl_url_parse(&target->url, url, err);
	if (rc == 0)
		rc = dbl_dialect_find(target->url.scheme, &target->dialect, err);
	if (rc == 0)
		rc = dbl_names_init(&target->names, target->dialect, schema, prefix, err);
	if (rc)
		return rc;
	target->driver = target->dialect->driver;
	if (env->intercept)
		target->driver = env->intercept(env->ctx, target->driver);
	return 0;
}

void dbl_target_free(struct dbl_target *target)
{
	dbl_url_free(&target->url);
}
