-- node-pg-migrate 9.0.0 (npm), as src/runner.ts makes it
-- Taken from a run. The name is the file name without its extension (by itself the tool names files with
-- milliseconds since 1970, with 17 digits of UTC, or with an index). Rows are read by run_on, id.

CREATE TABLE "public"."pgmigrations" (id SERIAL PRIMARY KEY, name varchar(255) NOT NULL,
 run_on timestamp NOT NULL);

INSERT INTO "public"."pgmigrations" (name, run_on) VALUES ('20240101000001_first', NOW());
INSERT INTO "public"."pgmigrations" (name, run_on) VALUES ('20240101000002_second', NOW());
INSERT INTO "public"."pgmigrations" (name, run_on) VALUES ('20240101000003_third', NOW());
