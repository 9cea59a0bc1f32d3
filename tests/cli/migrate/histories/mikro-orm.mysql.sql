-- MikroORM 6.6.16 (npm @mikro-orm/migrations), as MigrationStorage.js (ensureTable) makes it
-- knex 3.3.0's SQL that results in this database. The name is the file name without its extension.

create table `mikro_orm_migrations` (`id` int unsigned not null auto_increment primary key,
 `name` varchar(255),
 `executed_at` datetime default CURRENT_TIMESTAMP);

insert into `mikro_orm_migrations` (`name`) values ('Migration20240101000001');
