/* SPDX-License-Identifier: MIT */
/* What a dump of the schema needs: the tables of a file, which tables are our own, the history, and
 * for a server's programs where it is. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "driver/value.h"
#include "migrate/command/migrate.h"
#include "migrate/command/script.h"
#include "migrate/report/words.h"

struct list {
	char **text;
	size_t n;
};

struct dumping {
	dblock_dump_cb *cb;
	void *arg;
	struct dbl_run *run;
	struct dbl_str tables, history;
	struct list own, options;
};

static int add(struct list *list, char *text)
{
	char **grown = text ? dbl_realloc(list->text, (list->n + 1) * sizeof(*grown)) : NULL;

	if (!grown) {
		dbl_free(text);
		return DBLOCK_E_NOMEM;
	}
	list->text = grown;
	grown[list->n++] = text;
	return 0;
}

static void free_list(struct list *list)
{
	for (size_t i = 0; i < list->n; i++)
		dbl_free(list->text[i]);
	dbl_free(list->text);
}

/* ---- tables --------------------------------------------------------------------------------- */

static bool is_own(const struct dumping *d, const char *table)
{
	size_t i = 0;

	while (i < d->own.n && strcasecmp(d->own.text[i], table) != 0)
		i++;
	return i < d->own.n;
}

/* dblock_lock, and by our prefix. */
static int add_own(struct dumping *d, const char *prefix, const char *name, size_t len)
{
	struct dbl_str s = {0};

	dbl_str_addf(&s, "%s%.*s", prefix, (int)len, name);
	if (s.text && !s.failed && is_own(d, s.text)) {
		dbl_str_free(&s);
		return 0;
	}
	return add(&d->own, dbl_str_take(&s));
}

/* All that our migrations name, which is more than tables and views, but nothing of others. */
static int list_own(struct dumping *d, const char *prefix)
{
	static const char ours[] = "dblock_";
	int rc = add_own(d, prefix, "migration", strlen("migration"));

	for (const struct dbl_migration_text *m = d->run->target->dialect->migrations; m->version;
	     m++) {
		for (const char *at = m->up; rc == 0 && (at = strstr(at, ours)) != NULL;) {
			at += strlen(ours);
			rc = add_own(d, prefix, at, strspn(at, "abcdefghijklmnopqrstuvwxyz_"));
		}
	}
	return rc;
}

static int take_table(void *ctx, const struct dbl_value *row)
{
	struct dumping *d = ctx;
	char *name = dbl_strndup(row[0].text, row[0].len);

	if (!name)
		return DBLOCK_E_NOMEM;
	if (!is_own(d, name)) {
		dbl_str_addn(&d->tables, row[1].text, row[1].len);
		dbl_str_add(&d->tables, ";\n");
	}
	dbl_free(name);
	return d->tables.failed ? DBLOCK_E_NOMEM : 0;
}

static int read_tables(struct dumping *d, struct dblock_error *err)
{
	struct dbl_runner on = dbl_run_on(d->run);
	struct dbl_request texts = {
		.op = DBL_OP_schema_text, .row = take_table, .ctx = d, .deadline = on.deadline};
	int rc = list_own(d, "dblock_");

	if (rc == 0)
		rc = list_own(d, on.target->names.prefix);
	return rc ? rc : on.run(on.on, &texts, err);
}

/* ---- where it is ---------------------------------------------------------------------------- */

static int add_option(struct dumping *d, const char *name, const char *value)
{
	struct dbl_str s = {0};

	if (!value || !*value)
		return 0;
	dbl_str_addf(&s, "--%s=%s", name, value);
	return add(&d->options, dbl_str_take(&s));
}

/* The parameters of a MySQL URL are called as the options of its programs. A name without a socket
 * means TCP, as in the URL. */
static int add_mysql(struct dumping *d, const struct dbl_url *url)
{
	bool listed = url->n_hosts > 1;
	unsigned good = listed ? atomic_load(url->good_host) % url->n_hosts : 0;
	const char *host = listed ? url->hosts[good].host : url->host;
	int rc = add_option(d, "host", host && strcmp(host, "localhost") == 0 ? "127.0.0.1" : host);

	if (rc == 0)
		rc = add_option(d, "port", listed ? url->hosts[good].port : url->port);
	if (rc == 0)
		rc = add_option(d, "user", url->user);
	for (unsigned i = 0; rc == 0 && i < url->n_params; i++)
		rc = add_option(d, url->params[i].key, url->params[i].value);
	return rc;
}

static int add_options(struct dumping *d, const struct dbl_target *target)
{
	const struct dbl_url *url = &target->url;
	char *open;
	int rc;

	if (target->dialect->is_file)
		return 0;
	if (!target->dialect->pools)
		return add_mysql(d, url);
	open = dbl_url_open_text(url);
	rc = open ? add_option(d, "dbname", open) : DBLOCK_E_NOMEM;
	dbl_free(open);
	return rc;
}

/* ---- the call ------------------------------------------------------------------------------- */

static int check_finished(const struct dbl_run *run, struct dblock_error *err)
{
	char label[DBL_LABEL];

	for (size_t i = 0; i < run->history.n; i++) {
		const struct dbl_past *row = &run->history.rows[i];

		if (row->state != DBL_ROW_APPLIED)
			return dbl_words_refuse(
				err, DBLOCK_E_REPAIR,
				"%s stopped halfway: what is there is the schema of no "
				"version" DBL_NOTHING_DONE
				"see with 'dblock migrate status' how far",
				dbl_label(label, row->version, row->name));
	}
	return 0;
}

static int tell(struct dumping *d)
{
	const struct dbl_url *url = &dbl_target_past_pool(d->run->target)->url;
	const char *password = dbl_url_param(url, "password");
	struct dblock_dump dump = {
		.size = sizeof(dump),
		.tables = d->tables.text ? d->tables.text : "",
		.history = d->history.text,
		.own = (const char *const *)d->own.text,
		.n_own = d->own.n,
		.options = (const char *const *)d->options.text,
		.n_options = d->options.n,
		.database = url->path && *url->path ? url->path : NULL,
		.password = password ? password : url->password,
	};

	return d->cb(d->arg, &dump);
}

static int dump(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct dumping *d = ctx;
	int rc = check_finished(run, err);

	d->run = run;
	if (rc == 0)
		rc = read_tables(d, err);
	if (rc == 0)
		rc = add_options(d, dbl_target_past_pool(run->target));
	if (rc == 0)
		dbl_script_history(&d->history, run);
	if (rc == DBLOCK_E_NOMEM || d->history.failed)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return rc ? rc : tell(d);
}

int dbl_migrate_dump(const struct dbl_migrate *ask, dblock_dump_cb *cb, void *arg,
		     struct dblock_error *err)
{
	struct dumping d = {.cb = cb, .arg = arg};
	int rc = dbl_run_once(ask, dump, &d, err);

	dbl_str_free(&d.tables);
	dbl_str_free(&d.history);
	free_list(&d.own);
	free_list(&d.options);
	return rc;
}
