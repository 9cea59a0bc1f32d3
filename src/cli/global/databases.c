/* SPDX-License-Identifier: MIT */
#include "cli/global/global.h"

#include <stdlib.h>
#include <string.h>

/* All but who, with which password, and the parameters. */
static char *name_of(const char *url)
{
	const char *host = strstr(url, "://"), *to = url + strcspn(url, "?");
	const char *at = host ? memchr(host, '@', (size_t)(to - host)) : NULL;
	char *name = NULL;

	if (at) {
		int scheme = (int)(host - url), rest = (int)(to - at - 1);

		return asprintf(&name, "%.*s://%.*s", scheme, url, rest, at + 1) < 0 ? NULL : name;
	}
	return strndup(url, (size_t)(to - url));
}

static void open_one(struct dbl_databases *d, struct dbl_cli *cli, bool look, const char *url)
{
	struct dblock_client_options options = dbl_cli_options(cli);
	struct dblock_error err = {0};
	int rc;

	options.observe = look && !options.auto_migrate;
	rc = dblock_open(url, &options, &d->clients[d->n], &err);
	if (rc == 0)
		d->names[d->n++] = name_of(url);
	else if (d->code == DBL_EXIT_OK)
		d->code = dbl_cli_not_opened(cli, rc, &err);
}

size_t dbl_databases_open(struct dbl_databases *d, struct dbl_cli *cli, bool look)
{
	char *urls[DBL_URLS_MAX];
	size_t n;

	*d = (struct dbl_databases){.code = dbl_cli_need_url(cli)};
	if (d->code != DBL_EXIT_OK)
		return 0;
	n = dbl_cli_members(cli, urls);
	for (size_t i = 0; i < n; i++) {
		open_one(d, cli, look, urls[i]);
		free(urls[i]);
	}
	return d->n;
}

void dbl_databases_close(struct dbl_databases *d)
{
	for (size_t i = 0; i < d->n; i++) {
		(void)dblock_close(d->clients[i], NULL);
		free(d->names[i]);
	}
	d->n = 0;
}

int dbl_global_look(struct dbl_cli *cli, struct dbl_databases *d, const char *id,
		    dblock_branch_cb *branch, dblock_recovery_cb *found, void *arg)
{
	struct dblock_recover_options how = DBLOCK_RECOVER_OPTIONS_INIT;
	int rc = 0;

	how.look = true;
	how.id = id;
	how.branch = branch;
	if (dbl_databases_open(d, cli, true))
		rc = dblock_recover(d->clients, d->n, &how, found, arg, &cli->err);
	return rc ? dbl_cli_ended(cli, rc, &cli->err) : d->code;
}

/* ---- in words -------------------------------------------------------------------------------- */

const char *dbl_recovered_word(enum dblock_recovered outcome, bool done)
{
	switch (outcome) {
	case DBLOCK_RECOVERED_COMMITTED:
		return done ? "committed" : "to be committed";
	case DBLOCK_RECOVERED_ROLLED_BACK:
		return done ? "rolled back" : "to be rolled back";
	case DBLOCK_RECOVERED_NOT_YET:
		return "not yet";
	case DBLOCK_RECOVERED_IN_DOUBT:
		return "in doubt";
	}
	return "?";
}

json_t *dbl_recovery_json(const struct dblock_recovery *found, bool done)
{
	json_t *object = json_object();

	dbl_json_text(object, "id", found->id);
	dbl_json_text(object, "outcome", dbl_recovered_word(found->outcome, done));
	dbl_json_number(object, "branches", found->branches);
	dbl_json_number(object, "since_us", found->since_us);
	dbl_json_text(object, "text", found->text);
	return object;
}
