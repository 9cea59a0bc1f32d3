-- tern v2.4.2 (e73daa1), as migrate/migrate.go makes it
-- One row only: the number of the newest migration, 0 when there is none. Set by an UPDATE with no WHERE.

create table if not exists public.schema_version(version int4 not null primary key);

    insert into public.schema_version(version)
    select 0
    where 0=(select count(*) from public.schema_version);

update public.schema_version set version=1;
