-- Drizzle 0.45.4 (npm drizzle-orm), as pg-core/dialect.js makes it
-- Taken from a run. In a schema of its own. hash is SHA-256 of the SQL file, created_at the time in
-- meta/_journal.json, in milliseconds: the highest one counts, and migrations of a later time are run.

CREATE SCHEMA IF NOT EXISTS "drizzle";
CREATE TABLE IF NOT EXISTS "drizzle"."__drizzle_migrations" (
				id SERIAL PRIMARY KEY,
				hash text NOT NULL,
				created_at bigint
			);

insert into "drizzle"."__drizzle_migrations" ("hash", "created_at")
 values('6b983936d66062aa416c7374eba87a3ad36946ab5f4e583ab3fcb0137b4593ce', 1704067201000);
