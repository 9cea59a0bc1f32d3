-- dbmate v2.35.0, as pkg/driver/postgres/postgres.go makes it
-- The version is the text of the digits before the first underscore of the file. Same table name as Rails',
-- Ecto's and golang-migrate's; there is no other column. The schema is that of the name, of search_path in
-- the URL, or current_schema().

create table if not exists public.schema_migrations (version varchar primary key);

insert into public.schema_migrations (version) values ('20240101000001');
insert into public.schema_migrations (version) values ('20240101000002');
insert into public.schema_migrations (version) values ('20240101000003');
