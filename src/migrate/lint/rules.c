/* SPDX-License-Identifier: MIT */
/*
 * The rules: what costs others something, on which database, and how to spare them. No rule is about
 * a table that this plan makes. Where each comes from:
 *
 *   PG    the manual of PostgreSQL 17: the page, or ALTER TABLE, Notes
 *   LOCK  the same, 13.3.1 Table-Level Locks
 *   MY    the manual of MySQL 8.4, 17.12.1 Online DDL Operations: the table there. So is it in 8.0
 *   MDB   the documentation of MariaDB 10.11, InnoDB Online DDL Operations
 *   SL    the documentation of SQLite: the page
 *
 * Those of MySQL and MariaDB, and which of PostgreSQL rewrite, are held against real servers by
 * tests/cli/migrate/remote_migrate_rules.bats. One alarm is enough where the two servers of the dialect
 * "mysql" differ: nobody knows which of them will run the file.
 */
#include "migrate/lint/own.h"

#define LOSES  DBLOCK_SEVERITY_LOSES
#define BREAKS DBLOCK_SEVERITY_BREAKS
#define BLOCKS DBLOCK_SEVERITY_BLOCKS
#define WAITS  DBLOCK_SEVERITY_WAITS

#define NO_COPY                                                                                    \
	"copies the whole table, and nobody can write to it meanwhile; with ALGORITHM=INPLACE, "   \
	"LOCK=NONE the server refuses instead"
#define NO_LOCK "nobody can write to the table meanwhile; with LOCK=NONE the server refuses instead"
#define RENAMES                                                                                    \
	"the running copies of the program know the old name: add the new one, move over, and "    \
	"drop the old one in a later migration"

const struct dbl_rule dbl_rules_statement[] = {
	/* Gone is gone. */
	{"drop-table", LOSES, "pms", "drop table [if exists]", NULL, dbl_when_drop_table,
	 "the rows are lost, and running copies of the program that still ask for them fail"},
	{"drop-table", LOSES, "m", "create or replace table @", NULL, NULL,
	 "the rows are lost, if there is such a table"},
	{"truncate", LOSES, "pm", "truncate [table] [only] @", NULL, NULL, "all rows are lost"},
	{"delete-all-rows", LOSES, "pms", "delete from [only] @", "where;limit", NULL,
	 "all rows are lost; give it a WHERE if that is not meant"},
	{"drop-schema", LOSES, "pm", "drop schema|database [if exists] @", NULL, NULL,
	 "all that is in it is lost"},
	/* LOCK: ROW EXCLUSIVE, and a lock on each row until the transaction ends. */
	{"update-all-rows", BLOCKS, "pm", "update [only] @", "where;limit;from;join", NULL,
	 "writes every row in one go, and nobody else can write them until it is done: do it in "
	 "parts if the table is large"},
	{"update-all-rows", WAITS, "s", "update @", "where;limit;from", NULL,
	 "writes every row in one go: do it in parts if the table is large"},
	/* LOCK: SHARE. PG, CREATE INDEX, Building Indexes Concurrently. */
	{"index-blocks-writes", BLOCKS, "p",
	 "create [unique] index [if not exists] [*] on [only] @", "concurrently", NULL,
	 "nobody can write to the table until the index is built; CREATE INDEX CONCURRENTLY, in a "
	 "file of its own, lets them"},
	/* MY: "Adding a FULLTEXT index", "Adding a SPATIAL index": concurrent DML: no. MDB the same. */
	{"locks-writes", BLOCKS, "m", "create fulltext|spatial index [if not exists] * on @", NULL,
	 dbl_when_locks, NO_LOCK},
	/* PG, DROP INDEX: ACCESS EXCLUSIVE, but only for a moment, once all others are out. */
	{"drop-index-waits", WAITS, "p", "drop index [if exists]", "concurrently",
	 dbl_when_old_index,
	 "waits for all who use the table, and all others wait behind it, for at most "
	 "--lock-timeout; DROP INDEX CONCURRENTLY, in a file of its own, lets them through"},
	/* PG, REINDEX, Notes. */
	{"reindex-blocks", BLOCKS, "p", "reindex [( verbose )] index|table|schema|database|system",
	 "concurrently", dbl_when_old_index,
	 "nobody can write to the table, or use the index, until it is built anew; REINDEX .. "
	 "CONCURRENTLY, in a file of its own, lets them"},
	/* PG, REFRESH MATERIALIZED VIEW: CONCURRENTLY. */
	{"refresh-blocks", BLOCKS, "p", "refresh materialized view @", "concurrently", NULL,
	 "nobody can read the view until it is filled anew; CONCURRENTLY lets them, if it has a "
	 "unique index"},
	/* PG, VACUUM; CLUSTER: ACCESS EXCLUSIVE while all of it is written anew. */
	{"rewrites-table", BLOCKS, "p", "vacuum full|( [full]", NULL, NULL,
	 "nobody can use the table until it is written anew"},
	{"rewrites-table", BLOCKS, "p", "cluster", NULL, NULL,
	 "nobody can use the table until it is written anew"},
	{"locks-table", BLOCKS, "p", "lock [table] [only] @", NULL, NULL,
	 "the table stays locked until the file is done"},
	/* PG, ALTER DOMAIN: ADD .. NOT VALID. */
	{"constraint-reads-all", BLOCKS, "p", "alter domain * add", "not valid", NULL,
	 "all rows of all tables that use it are read under a lock; NOT VALID, and VALIDATE "
	 "CONSTRAINT in a later migration, spare that"},
	/* MY, OPTIMIZE TABLE: online, but all of the table is written. */
	{"rebuilds-table", WAITS, "m", "optimize", NULL, NULL, "writes the whole table anew"},
	{"rename-breaks", BREAKS, "m", "rename table [if exists] @", NULL, NULL, RENAMES},
	/* SL, VACUUM. A file of SQLite has one writer, whatever is written: nothing spares others. */
	{"rewrites-file", WAITS, "s", "vacuum", NULL, NULL,
	 "writes the whole file anew, and needs as much room again"},
	{"index-blocks-writes", WAITS, "s", "create [unique] index [if not exists] * on @", NULL,
	 NULL, "nobody can write to the database until the index is built"},
	{"reindex-blocks", WAITS, "s", "reindex", NULL, NULL,
	 "nobody can write to the database until it is built anew"},
	{NULL, 0, NULL, NULL, NULL, NULL, NULL},
};

/* PG, ALTER TABLE, unless it says otherwise. */
const struct dbl_rule dbl_rules_postgresql_action[] = {
	{"drop-column", LOSES, "p", "drop [column] [if exists] *", NULL, dbl_when_drop_column,
	 "what is in the column is lost, and running copies of the program that still ask for it "
	 "fail"},
	{"rename-breaks", BREAKS, "p", "rename to *", NULL, NULL, RENAMES},
	{"rename-breaks", BREAKS, "p", "rename [column] * to", NULL, dbl_when_rename_column,
	 RENAMES},
	/* "column contains null values" */
	{"not-null-without-default", BREAKS, "p", "add", NULL, dbl_when_no_default,
	 "fails if the table has rows: give it a DEFAULT, or fill it before it becomes NOT NULL"},
	/* "Adding a column with a volatile DEFAULT [..] or a stored generated column [..] will
	 * require the entire table and its indexes to be rewritten." now() is stable. */
	{"add-column-rewrites", BLOCKS, "p", "add", NULL, dbl_when_default_volatile,
	 "may give each row a value of its own, so the table is written anew, and nobody can use "
	 "it meanwhile; add the column without it, set the default, and fill it in parts"},
	{"constraint-builds-index", BLOCKS, "p", "add", NULL, dbl_when_column_unique,
	 "nobody can use the table while its index is built; add the column, CREATE UNIQUE INDEX "
	 "CONCURRENTLY, and ADD CONSTRAINT .. USING INDEX"},
	{"constraint-reads-all", BLOCKS, "p", "add", "not valid", dbl_when_column_check,
	 "nobody can use the table while all rows are read; add the column, then the CHECK as NOT "
	 "VALID, and VALIDATE CONSTRAINT in a later migration"},
	{"constraint-reads-all", BLOCKS, "p", "add", NULL, dbl_when_column_referencing,
	 "nobody can use the table while all rows are read; add the column, then the FOREIGN KEY "
	 "as NOT VALID, and VALIDATE CONSTRAINT in a later migration"},
	/* "[..] the table itself and its indexes" unless the old type is binary coercible */
	{"type-rewrites", BLOCKS, "p", "alter [column] * [set data] type", NULL,
	 dbl_when_type_rewrites,
	 "writes the whole table anew unless the old type is kept as it is in the new one, and "
	 "nobody can use it meanwhile; add a column of the new type, and fill it in parts"},
	/* SET NOT NULL: "if a valid CHECK constraint exists (and is not dropped in the same command)
	 * which proves no NULL can exist, then the table scan is skipped." */
	{"set-not-null-reads-all", BLOCKS, "p", "alter [column] * set not null", NULL,
	 dbl_when_nulls_unknown,
	 "nobody can use the table while all rows are read; a CHECK (.. IS NOT NULL) that was "
	 "added "
	 "as NOT VALID, and validated in a later migration, spares that"},
	/* ADD table_constraint_using_index */
	{"constraint-builds-index", BLOCKS, "p", "add [constraint *] unique|primary|exclude",
	 "using index", NULL,
	 "nobody can use the table while its index is built; CREATE UNIQUE INDEX CONCURRENTLY, and "
	 "ADD CONSTRAINT .. USING INDEX, let them"},
	/* ADD table_constraint [ NOT VALID ]; LOCK: SHARE ROW EXCLUSIVE for a foreign key. */
	{"constraint-reads-all", BLOCKS, "p", "add [constraint *] foreign key", "not valid", NULL,
	 "nobody can write to either table while all rows are read; NOT VALID, and VALIDATE "
	 "CONSTRAINT in a later migration, spare that"},
	{"constraint-reads-all", BLOCKS, "p", "add [constraint *] check|not", "not valid", NULL,
	 "nobody can use the table while all rows are read; NOT VALID, and VALIDATE CONSTRAINT in "
	 "a later migration, spare that"},
	/* The lock that ADD CONSTRAINT took is held until the transaction ends. */
	{"validated-at-once", BLOCKS, "p", "validate constraint *", NULL,
	 dbl_when_validated_at_once,
	 "the file has just added it, so the table is still locked while all rows are read; put "
	 "this into a later migration"},
	/* SET TABLESPACE, SET ACCESS METHOD, SET { LOGGED | UNLOGGED } */
	{"rewrites-table", BLOCKS, "p", "set tablespace|access|logged|unlogged", NULL, NULL,
	 "nobody can use the table until it is written anew"},
	{NULL, 0, NULL, NULL, NULL, NULL, NULL},
};

const struct dbl_rule dbl_rules_mysql_action[] = {
	{"drop-column", LOSES, "m", "drop [column] [if exists] *", NULL, dbl_when_drop_column,
	 "what is in the column is lost, and running copies of the program that still ask for it "
	 "fail"},
	{"drop-partition", LOSES, "m", "drop|truncate partition", NULL, NULL,
	 "the rows in it are lost"},
	{"drop-tablespace", LOSES, "m", "discard tablespace", NULL, NULL, "all rows are lost"},
	{"rename-breaks", BREAKS, "m", "rename [to|as] *", NULL, dbl_when_rename_column, RENAMES},
	{"rename-breaks", BREAKS, "m", "rename column *", NULL, dbl_when_rename_column, RENAMES},
	{"rename-breaks", BREAKS, "m", "change", NULL, dbl_when_renamed_column, RENAMES},
	/* MY, MDB: "Changing the column data type": COPY, but for a VARCHAR that grows. */
	{"copies-table", BLOCKS, "m", "modify|change", NULL, dbl_when_copies_modify,
	 "may copy the whole table, and nobody can write to it meanwhile; with ALGORITHM=INPLACE, "
	 "LOCK=NONE the server refuses instead"},
	/* "Adding a STORED column"; what has a constraint, or a default that is computed */
	{"copies-table", BLOCKS, "m", "add", NULL, dbl_when_copies_column, NO_COPY},
	/* "Dropping a primary key" */
	{"copies-table", BLOCKS, "m", "drop primary key", NULL, dbl_when_copies_drop_key, NO_COPY},
	/* "Adding a foreign key constraint": in place only while foreign_key_checks is off. */
	{"copies-table", BLOCKS, "m", "add [constraint] [*] foreign key", NULL, dbl_when_copies,
	 NO_COPY},
	{"copies-table", BLOCKS, "m", "add [constraint] [*] check", NULL, dbl_when_copies, NO_COPY},
	/* "Converting a character set": rebuilds, and concurrent DML: no. */
	{"copies-table", BLOCKS, "m", "convert to", NULL, dbl_when_locks, NO_COPY},
	/* Partitioning Operations */
	{"copies-table", BLOCKS, "m", "partition by", NULL, dbl_when_copies, NO_COPY},
	{"copies-table", BLOCKS, "m", "remove partitioning", NULL, dbl_when_copies, NO_COPY},
	{"copies-table", BLOCKS, "m", "add partition partitions", NULL, dbl_when_locks, NO_LOCK},
	{"copies-table", BLOCKS, "m", "coalesce|reorganize|rebuild|optimize|repair partition", NULL,
	 dbl_when_locks, NO_LOCK},
	/* ALTER TABLE, Performance and Space Requirements: ORDER BY; another engine */
	{"copies-table", BLOCKS, "m", "order by", NULL, dbl_when_copies, NO_COPY},
	{"copies-table", BLOCKS, "m", "engine", NULL, dbl_when_copies_engine, NO_COPY},
	{"copies-table", BLOCKS, "m", "algorithm [=] copy", NULL, dbl_when_locks, NO_COPY},
	/* "Adding a FULLTEXT index", "a SPATIAL index", "an auto-increment column": concurrent DML: no */
	{"locks-writes", BLOCKS, "m", "add fulltext|spatial", NULL, dbl_when_locks, NO_LOCK},
	{"locks-writes", BLOCKS, "m", "add", NULL, dbl_when_locks_auto_increment, NO_LOCK},
	/* In place and beside all others, but all of the table is written: "Rebuilds Table: Yes" */
	{"rebuilds-table", WAITS, "m", "add [constraint] [*] primary key", NULL, NULL,
	 "writes the whole table anew; others can go on, and with ALGORITHM=INPLACE, LOCK=NONE the "
	 "server refuses where they could not"},
	{"rebuilds-table", WAITS, "m", "force|engine|row_format|key_block_size", NULL, NULL,
	 "writes the whole table anew; others can go on, and with ALGORITHM=INPLACE, LOCK=NONE the "
	 "server refuses where they could not"},
	{NULL, 0, NULL, NULL, NULL, NULL, NULL},
};

/* SL, ALTER TABLE. */
const struct dbl_rule dbl_rules_sqlite_action[] = {
	{"drop-column", LOSES, "s", "drop [column] *", NULL, dbl_when_drop_column,
	 "what is in the column is lost, and the whole table is written anew"},
	{"rename-breaks", BREAKS, "s", "rename to *", NULL, NULL, RENAMES},
	{"rename-breaks", BREAKS, "s", "rename [column] * to", NULL, dbl_when_rename_column,
	 RENAMES},
	/* "Cannot add a NOT NULL column with default value NULL" */
	{"not-null-without-default", BREAKS, "s", "add", NULL, dbl_when_no_default,
	 "fails if the table has rows: give it a DEFAULT"},
	{NULL, 0, NULL, NULL, NULL, NULL, NULL},
};
