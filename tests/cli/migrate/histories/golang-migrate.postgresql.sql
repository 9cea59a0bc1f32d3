-- golang-migrate v4.19.1-9-g18966c75, as database/postgres/postgres.go (and pgx/v5/pgx.go) makes it
-- One row only, the version of the newest migration: before each migration the row is replaced by one with
-- dirty = true, after it by one with dirty = false. No row or -1 (with dirty): nothing is applied. The tool
-- names the schema: CURRENT_SCHEMA() at its start.

CREATE TABLE IF NOT EXISTS "public"."schema_migrations"
 (version bigint not null primary key, dirty boolean not null);

TRUNCATE "public"."schema_migrations";
INSERT INTO "public"."schema_migrations" (version, dirty) VALUES (1, true);
TRUNCATE "public"."schema_migrations";
INSERT INTO "public"."schema_migrations" (version, dirty) VALUES (1, false);
TRUNCATE "public"."schema_migrations";
INSERT INTO "public"."schema_migrations" (version, dirty) VALUES (2, true);
TRUNCATE "public"."schema_migrations";
INSERT INTO "public"."schema_migrations" (version, dirty) VALUES (2, false);
TRUNCATE "public"."schema_migrations";
INSERT INTO "public"."schema_migrations" (version, dirty) VALUES (3, true);
TRUNCATE "public"."schema_migrations";
INSERT INTO "public"."schema_migrations" (version, dirty) VALUES (3, false);
