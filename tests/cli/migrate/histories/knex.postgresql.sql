-- knex 3.3.0 (npm), as lib/migrations/migrate/table-creator.js makes it
-- Taken from a run. The name is the whole file name. Rows are read by id; a rollback deletes the rows of the
-- highest batch. is_locked = 1: a migration runs, or one was killed.

create table "knex_migrations" ("id" serial primary key, "name" varchar(255), "batch" integer,
 "migration_time" timestamptz);
create table "knex_migrations_lock" ("index" serial primary key, "is_locked" integer);

insert into "knex_migrations_lock" ("is_locked") values (0);
update "knex_migrations_lock" set "is_locked" = 1 where "is_locked" = 0;
insert into "knex_migrations" ("batch", "migration_time", "name")
 values (1, '2024-01-01T00:00:01.000+00:00', '20240101000001_first.js');
insert into "knex_migrations" ("batch", "migration_time", "name")
 values (1, '2024-01-01T00:00:02.000+00:00', '20240101000002_second.js');
insert into "knex_migrations" ("batch", "migration_time", "name")
 values (1, '2024-01-01T00:00:03.000+00:00', '20240101000003_third.js');
update "knex_migrations_lock" set "is_locked" = 0;
