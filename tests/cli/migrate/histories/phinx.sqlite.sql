-- Phinx 0.16.5-1-gefd7cf8b, as src/Phinx/Db/Adapter/AbstractAdapter.php (createSchemaTable) makes it
-- The adapter's SQL that results in this database. A down deletes the row.

CREATE TABLE `phinxlog` (`version` BIGINTEGER NOT NULL, `migration_name` VARCHAR(100) NULL,
 `start_time` TIMESTAMP_TEXT NULL, `end_time` TIMESTAMP_TEXT NULL,
 `breakpoint` BOOLEAN_INTEGER NOT NULL DEFAULT 0,
 PRIMARY KEY (`version`));

INSERT INTO `phinxlog` (`version`, `migration_name`, `start_time`, `end_time`, `breakpoint`)
 VALUES ('20240101000001', 'First', '2024-01-01 00:00:01', '2024-01-01 00:00:01', 0);
