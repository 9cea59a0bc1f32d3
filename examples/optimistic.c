/* SPDX-License-Identifier: MIT */
/*
 * Pages that many edit: optimistic new PAGE [URL]; likewise read PAGE, visit PAGE, and
 * save PAGE:VERSION:TEXT
 *
 * Who reads a page gets its version with it, as a web form would, and no lock: he may take hours,
 * or never come back. Who saves it gives the version back. If somebody else has saved it meanwhile,
 * nothing is overwritten: he is told, exit code 3, and which version to look at. A visit is counted
 * at once: where it is stale it can be done again without asking anybody.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/versioned.h>

static const char *const key[] = {"name"}, *const text[] = {"text"}, *const visits[] = {"visits"};

static int create(struct dblock_tx *tx, const struct dblock_value *name, struct dblock_error *err)
{
	int rc = dblock_tx_query(tx,
				 "CREATE TABLE IF NOT EXISTS page (name VARCHAR(80) PRIMARY KEY, "
				 "text VARCHAR(400) NOT NULL, visits BIGINT NOT NULL, "
				 "version BIGINT NOT NULL)",
				 NULL, 0, NULL, NULL, NULL, err);

	return rc ? rc
		  : dblock_tx_query(tx, "INSERT INTO page VALUES ($1, 'empty', 0, 0)", name, 1,
				    NULL, NULL, NULL, err);
}

static int print(void *arg, const struct dblock_value *values, size_t n)
{
	(void)arg, (void)n;
	printf("%.*s\n", (int)values[0].len, values[0].text);
	return 0;
}

static int keep(void *arg, const struct dblock_value *values, size_t n)
{
	(void)n;
	*(int64_t *)arg = values[0].i;
	return 0;
}

static int visit(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	const struct dblock_versioned_row *page = arg;
	struct dblock_value more;
	int64_t version, seen = 0;
	int rc = dblock_versioned_read(tx, page, visits, 1, keep, &seen, &version, err);

	more = dblock_int(seen + 1);
	return rc ? rc : dblock_versioned_update(tx, page, &version, visits, &more, 1, err);
}

static int save(struct dblock_tx *tx, const struct dblock_versioned_row *page, int64_t version,
		const char *words, struct dblock_error *err)
{
	struct dblock_value value = dblock_text(words);
	int rc = dblock_versioned_update(tx, page, &version, text, &value, 1, err);

	if (rc == DBLOCK_OK || rc == DBLOCK_STALE)
		printf("version %" PRId64 "\n", version);
	return rc;
}

static int act(struct dblock_client *client, struct dblock_tx *tx, const char *verb, char *what,
	       struct dblock_error *err)
{
	const char *version = strtok(what, ":"), *words;
	struct dblock_value name = dblock_text(version);
	struct dblock_versioned_row page = {
		.table = "page", .key = key, .key_values = &name, .n_key = 1};
	int64_t seen;
	int rc;

	version = strtok(NULL, ":");
	words = strtok(NULL, "");
	if (strcmp(verb, "new") == 0)
		return create(tx, &name, err);
	if (strcmp(verb, "visit") == 0)
		return dblock_versioned_run(client, NULL, visit, &page, err);
	if (strcmp(verb, "save") == 0 && version && words)
		return save(tx, &page, atoll(version), words, err);
	rc = dblock_versioned_read(tx, &page, text, 1, print, NULL, &seen, err);
	if (rc == DBLOCK_OK)
		printf("version %" PRId64 "\n", seen);
	return rc;
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_tx *tx = NULL;
	struct dblock_error err;
	int rc;

	if (argc < 3) {
		fprintf(stderr,
			"usage: optimistic new|read|visit|save PAGE[:VERSION:TEXT] [URL]\n");
		return 2;
	}
	options.app = "optimistic";
	options.auto_migrate = 1;
	rc = dblock_open(argc > 3 ? argv[3] : "sqlite:dblock.db", &options, &client, &err);
	if (rc == DBLOCK_OK)
		rc = dblock_tx_open(client, &tx, &err);
	if (rc == DBLOCK_OK)
		rc = act(client, tx, argv[1], argv[2], &err);
	dblock_tx_close(tx);
	dblock_close(client, NULL);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "optimistic: %s\n", err.message);
	return rc == DBLOCK_STALE ? 3 : rc != DBLOCK_OK;
}
