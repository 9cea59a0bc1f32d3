-- Laravel v13.26.1-25-gbd71b45fbb, as src/Illuminate/Database/Migrations/DatabaseMigrationRepository.php
-- makes it
-- The schema builder's SQL that results in this database. A rollback deletes the rows of the highest batch.

create table "migrations" ("id" serial not null primary key, "migration" varchar(255) not null,
 "batch" integer not null);

insert into "migrations" ("migration", "batch") values ('2024_01_01_000001_first', 1);
