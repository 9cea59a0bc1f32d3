-- db-migrate 0.11.14 (npm), as index.js (createMigrationsTable) of db-migrate-pg 1.5.2 makes it
-- Taken from a run. The name is a slash and the file name without its extension (before the slash: the scope,
-- if one was given).

CREATE TABLE IF NOT EXISTS "migrations" ("id"   SERIAL PRIMARY KEY NOT NULL, "name" VARCHAR (255) NOT NULL,
 "run_on" TIMESTAMP  NOT NULL) ;

INSERT INTO "migrations" ("name", "run_on")
 VALUES ('/20240101000001-first', '2024-01-01 00:00:01');
