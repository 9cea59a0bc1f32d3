-- dbmate v2.35.0, as pkg/driver/mysql/mysql.go makes it
-- The version is the text of the digits before the first underscore of the file. Same table name as Rails',
-- Ecto's and golang-migrate's; there is no other column.

create table if not exists `schema_migrations` (version varchar(128) primary key);

insert into `schema_migrations` (version) values ('20240101000001');
insert into `schema_migrations` (version) values ('20240101000002');
insert into `schema_migrations` (version) values ('20240101000003');
