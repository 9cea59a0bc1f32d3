-- Drizzle 0.45.4 (npm drizzle-orm), as mysql-core/dialect.js makes it
-- Taken from a run. hash is SHA-256 of the SQL file, created_at the time in meta/_journal.json, in
-- milliseconds: the highest one counts, and migrations of a later time are run.

create table if not exists `__drizzle_migrations` (
				id serial primary key,
				hash text not null,
				created_at bigint
			);

insert into `__drizzle_migrations` (`hash`, `created_at`)
 values('6b983936d66062aa416c7374eba87a3ad36946ab5f4e583ab3fcb0137b4593ce', 1704067201000);
