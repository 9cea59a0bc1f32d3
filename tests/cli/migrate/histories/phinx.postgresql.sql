-- Phinx 0.16.5-1-gefd7cf8b, as src/Phinx/Db/Adapter/AbstractAdapter.php (createSchemaTable) makes it
-- The adapter's SQL that results in this database. A down deletes the row.

CREATE TABLE "public"."phinxlog" ("version" BIGINT NOT NULL, "migration_name" CHARACTER VARYING (100) NULL,
 "start_time" TIMESTAMP NULL, "end_time" TIMESTAMP NULL, "breakpoint" BOOLEAN NOT NULL  DEFAULT FALSE,
 CONSTRAINT "phinxlog_pkey" PRIMARY KEY ("version"));

INSERT INTO "public"."phinxlog" ("version", "migration_name", "start_time", "end_time", "breakpoint")
 VALUES ('20240101000001', 'First', '2024-01-01 00:00:01', '2024-01-01 00:00:01', FALSE);
