/* SPDX-License-Identifier: MIT */
/* The tools that are known. Sources: each one's own DDL (tests/cli/migrate/histories). */
#include "migrate/foreign/foreign.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ADOPTS(op) true, true, DBL_OP_history_##op /* it has a row for each file */
#define TELLS(op)  true, false, DBL_OP_history_##op
#define KNOWN      false, false, 0

/* Of two with tables of one name, the one that asks for more stands first. */
static const struct dbl_tool tools[] = {
	{"golang-migrate", "schema_migrations", "version,dirty", NULL, ADOPTS(golang),
	 DBL_SUM_NONE},
	{"Ecto", "schema_migrations", "version,inserted_at", NULL, KNOWN, DBL_SUM_NONE},
	{"Rails", "schema_migrations", "version", "ar_internal_metadata", ADOPTS(rails),
	 DBL_SUM_NONE},
	{"dbmate", "schema_migrations", "version", NULL, ADOPTS(rails), DBL_SUM_NONE},
	{"Flyway", "flyway_schema_history", "installed_rank,version,description,type,success", NULL,
	 ADOPTS(flyway), DBL_SUM_NONE},
	{"Flyway", "schema_version", "installed_rank,version,script", NULL, KNOWN, DBL_SUM_NONE},
	{"tern", "schema_version", "version", NULL, KNOWN, DBL_SUM_NONE},
	{"goose", "goose_db_version", "id,version_id,is_applied", NULL, ADOPTS(goose),
	 DBL_SUM_NONE},
	{"Liquibase", "databasechangelog", "id,author,filename,orderexecuted,exectype", NULL,
	 ADOPTS(liquibase), DBL_SUM_NONE},
	{"sqlx", "_sqlx_migrations", "version,description,success,checksum", NULL, ADOPTS(sqlx),
	 DBL_SUM_SHA384},
	{"diesel", "__diesel_schema_migrations", "version,run_on", NULL, ADOPTS(diesel),
	 DBL_SUM_NONE},
	{"Atlas", "atlas_schema_revisions", "version,description,type,applied,total", NULL,
	 ADOPTS(atlas), DBL_SUM_NONE},
	{"Alembic", "alembic_version", "version_num", NULL, TELLS(alembic), DBL_SUM_NONE},
	{"Prisma", "_prisma_migrations", "migration_name,checksum,finished_at,rolled_back_at", NULL,
	 ADOPTS(prisma), DBL_SUM_SHA256},
	{"knex", "knex_migrations", "id,name,batch", NULL, ADOPTS(knex), DBL_SUM_NONE},
	{"Django", "django_migrations", "id,app,name", NULL, KNOWN, DBL_SUM_NONE},
	{"node-pg-migrate", "pgmigrations", "id,name,run_on", NULL, ADOPTS(node), DBL_SUM_NONE},
	{"Sequelize", "SequelizeMeta", "name", NULL, KNOWN, DBL_SUM_NONE},
	{"TypeORM", "migrations", "timestamp,name", NULL, KNOWN, DBL_SUM_NONE},
	{"Laravel", "migrations", "migration,batch", NULL, KNOWN, DBL_SUM_NONE},
	{"db-migrate", "migrations", "name,run_on", NULL, KNOWN, DBL_SUM_NONE},
	{"Rambler", "migrations", "migration", NULL, KNOWN, DBL_SUM_NONE},
	{"Doctrine", "doctrine_migration_versions", "version,executed_at", NULL, KNOWN,
	 DBL_SUM_NONE},
	{"Entity Framework", "__EFMigrationsHistory", "MigrationId,ProductVersion", NULL, KNOWN,
	 DBL_SUM_NONE},
	{"Phinx", "phinxlog", "version,migration_name", NULL, KNOWN, DBL_SUM_NONE},
	{"sql-migrate", "gorp_migrations", "id,applied_at", NULL, KNOWN, DBL_SUM_NONE},
	{"refinery", "refinery_schema_history", "version,applied_on,checksum", NULL, KNOWN,
	 DBL_SUM_NONE},
	{"Drizzle", "__drizzle_migrations", "hash,created_at", NULL, KNOWN, DBL_SUM_NONE},
	{"MikroORM", "mikro_orm_migrations", "name,executed_at", NULL, KNOWN, DBL_SUM_NONE},
};

enum { TOOLS = sizeof(tools) / sizeof(tools[0]) };

/* Whether the list "a,b,c" has this word, of `len` bytes. */
static bool has(const char *list, const char *word, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && strncasecmp(list, word, len) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static bool has_all(const char *list, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, ",");

		if (!has(list, words, n))
			return false;
		words += n + (words[n] == ',');
	}
	return true;
}

const struct dbl_tool *dbl_tool_of(const char *table, const char *columns,
				   bool (*seen)(void *, const char *table), void *arg)
{
	for (size_t i = 0; i < TOOLS; i++) {
		const struct dbl_tool *tool = &tools[i];

		if (strcasecmp(tool->table, table) == 0 && has_all(columns, tool->columns) &&
		    (!tool->beside || seen(arg, tool->beside)))
			return tool;
	}
	return NULL;
}

bool dbl_tool_is_dblock(const char *table, const char *columns)
{
	static const char end[] = "migration";
	size_t len = strlen(table), n = sizeof(end) - 1;

	return len >= n && strcasecmp(table + len - n, end) == 0 &&
	       has_all(columns, "scope,version,seq,kind,state,token_checksum");
}

const struct dbl_tool *dbl_tool_find(const char *name)
{
	for (size_t i = 0; i < TOOLS; i++) {
		if (strcasecmp(tools[i].name, name) == 0 && tools[i].adopts)
			return &tools[i];
	}
	return NULL;
}

void dbl_tool_names(char *to, size_t room)
{
	size_t at = 0;

	*to = '\0';
	for (size_t i = 0; i < TOOLS && at < room; i++) {
		if (tools[i].adopts)
			at += (size_t)snprintf(to + at, room - at, "%s%s", at ? ", " : "",
					       tools[i].name);
	}
}
