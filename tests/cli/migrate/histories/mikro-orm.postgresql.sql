-- MikroORM 6.6.16 (npm @mikro-orm/migrations), as MigrationStorage.js (ensureTable) makes it
-- knex 3.3.0's SQL that results in this database. The name is the file name without its extension.

create table "public"."mikro_orm_migrations" ("id" serial primary key, "name" varchar(255),
 "executed_at" timestamptz default CURRENT_TIMESTAMP);

insert into "public"."mikro_orm_migrations" ("name") values ('Migration20240101000001');
