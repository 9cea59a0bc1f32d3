-- Ecto (ecto_sql v3.14.0-5-g5e45b43), as lib/ecto/migration/schema_migration.ex makes it
-- The adapter's (myxql) SQL that results in this database. A row is applied, a down deletes it.

CREATE TABLE IF NOT EXISTS `schema_migrations` (`version` bigint, `inserted_at` datetime,
 PRIMARY KEY (`version`)) ENGINE = INNODB;

INSERT INTO `schema_migrations` (`version`,`inserted_at`) VALUES (20240101000001,'2024-01-01 00:00:01');
