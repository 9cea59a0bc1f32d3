-- Drizzle 0.45.4 (npm drizzle-orm), as sqlite-core/dialect.js makes it
-- id is NULL in all rows, for SERIAL is no INTEGER here. hash is SHA-256 of the SQL file, created_at the time
-- in meta/_journal.json, in milliseconds: the highest one counts, and migrations of a later time are run.

CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (
				id SERIAL PRIMARY KEY,
				hash text NOT NULL,
				created_at numeric
			);

INSERT INTO "__drizzle_migrations" ("hash", "created_at")
 VALUES('6b983936d66062aa416c7374eba87a3ad36946ab5f4e583ab3fcb0137b4593ce', 1704067201000);
