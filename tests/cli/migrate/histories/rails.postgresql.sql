-- Rails 8.1 (rails/rails 2a2db1e8), as activerecord/lib/active_record/schema_migration.rb and
-- internal_metadata.rb make it
-- Active Record's SQL that results in this database. A row is applied, a down deletes it. db:schema:load
-- inserts all versions of the schema file at once. The version is text: its number, without leading zeros.

CREATE TABLE "schema_migrations" ("version" character varying NOT NULL PRIMARY KEY);
CREATE TABLE "ar_internal_metadata" ("key" character varying NOT NULL PRIMARY KEY,
 "value" character varying, "created_at" timestamp(6) NOT NULL, "updated_at" timestamp(6) NOT NULL);

INSERT INTO "ar_internal_metadata" ("key", "value", "created_at", "updated_at")
 VALUES ('environment', 'development', '2024-01-01 00:00:00.123456', '2024-01-01 00:00:00.123456');
INSERT INTO "schema_migrations" ("version") VALUES ('20240101000001');
INSERT INTO "schema_migrations" ("version") VALUES ('20240101000002');
INSERT INTO "schema_migrations" ("version") VALUES ('20240101000003');
