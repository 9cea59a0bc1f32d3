-- Ecto (ecto_sqlite3 v0.24.1-2-ga2dc512), as lib/ecto/migration/schema_migration.ex of ecto_sql makes it
-- The adapter's SQL that results in this database. A row is applied, a down deletes it.

CREATE TABLE IF NOT EXISTS "schema_migrations" ("version" INTEGER PRIMARY KEY, "inserted_at" TEXT);

INSERT INTO "schema_migrations" ("version","inserted_at") VALUES (20240101000001,'2024-01-01T00:00:01');
