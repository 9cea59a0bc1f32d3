-- Diesel v2.3.12-826-g04cc1b0bc, as diesel/src/migration/setup_migration_table.sql makes it
-- Folders are 2024-01-01-000001_first: the version is what is before the first underscore, without dashes.
-- For PostgreSQL diesel setup adds a migration of its own, 00000000000000.

CREATE TABLE IF NOT EXISTS __diesel_schema_migrations (
       version VARCHAR(50) PRIMARY KEY NOT NULL,
       run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
);

INSERT INTO `__diesel_schema_migrations` (`version`) VALUES ('20240101000001');
INSERT INTO `__diesel_schema_migrations` (`version`) VALUES ('20240101000002');
INSERT INTO `__diesel_schema_migrations` (`version`) VALUES ('20240101000003');
