-- sql-migrate v1.8.0 (563a2f0), as migrate.go (getMigrationDbMap) makes it
-- gorp's SQL (v3.1.0-2-g4b75e80, table.go) that results in this database. The id is the whole file name.

create table if not exists "gorp_migrations"
 ("id" varchar(255) not null primary key, "applied_at" datetime) ;

insert into "gorp_migrations" ("id","applied_at") values ('20240101000001-first.sql','2024-01-01 00:00:01');
