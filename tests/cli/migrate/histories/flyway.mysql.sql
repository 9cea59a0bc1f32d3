-- Flyway 13.0.0 (flyway-13.0.0), as
-- flyway-database/flyway-mysql/src/main/java/org/flywaydb/database/mysql/MySQLDatabase.java makes it
-- No row of type SCHEMA (rank 0, version NULL, only where Flyway made the schema) and none of type BASELINE
-- (version '1', '<< Flyway Baseline >>') here. The last row is a repeatable migration's: version NULL. The
-- tool puts `database`. before the table name, and for MariaDB leaves out the name of the primary key
-- (CONSTRAINT  PRIMARY KEY).

CREATE TABLE `flyway_schema_history` (
    `installed_rank` INT NOT NULL,
    `version` VARCHAR(50),
    `description` VARCHAR(200) NOT NULL,
    `type` VARCHAR(20) NOT NULL,
    `script` VARCHAR(1000) NOT NULL,
    `checksum` INT,
    `installed_by` VARCHAR(100) NOT NULL,
    `installed_on` TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    `execution_time` INT NOT NULL,
    `success` BOOL NOT NULL,
    CONSTRAINT `flyway_schema_history_pk` PRIMARY KEY (`installed_rank`)
);
CREATE INDEX `flyway_schema_history_s_idx` ON `flyway_schema_history` (`success`);

INSERT INTO `flyway_schema_history` (`installed_rank`, `version`, `description`, `type`,
 `script`, `checksum`, `installed_by`, `execution_time`, `success`)
 VALUES (1, '1', 'first', 'SQL', 'V1__first.sql', -1196404881, 'root', 12, 1);
INSERT INTO `flyway_schema_history` (`installed_rank`, `version`, `description`, `type`,
 `script`, `checksum`, `installed_by`, `execution_time`, `success`)
 VALUES (2, '2', 'second', 'SQL', 'V2__second.sql', 1270498617, 'root', 12, 1);
INSERT INTO `flyway_schema_history` (`installed_rank`, `version`, `description`, `type`,
 `script`, `checksum`, `installed_by`, `execution_time`, `success`)
 VALUES (3, '3', 'third', 'SQL', 'V3__third.sql', -603821377, 'root', 12, 1);
INSERT INTO `flyway_schema_history` (`installed_rank`, `version`, `description`, `type`,
 `script`, `checksum`, `installed_by`, `execution_time`, `success`)
 VALUES (4, NULL, 'views', 'SQL', 'R__views.sql', 1847212301, 'root', 12, 1);
