-- Atlas v1.2.3 (a5e0aecc), as cmd/atlas/internal/migrate/ent/schema/revision.go makes it
-- ent's SQL that results in this database (ent v0.14.5, dialect/sql/schema), in the connection's schema; else
-- the table is in a schema atlas_schema_revisions. Each INSERT goes on with an upsert of all columns, and
-- comes before the file with applied = 0, after each statement, and at the end. type: bits 1 baseline, 2
-- executed, 4 set by hand. applied < total or error <> "": failed in the middle. A row of version
-- .atlas_cloud_identifier (only with the cloud) is no migration. For MariaDB executed_at is timestamp NULL.

CREATE TABLE `atlas_schema_revisions` (`version` varchar(255) NOT NULL,
 `description` varchar(255) NOT NULL, `type` bigint unsigned NOT NULL DEFAULT 2,
 `applied` bigint NOT NULL DEFAULT 0, `total` bigint NOT NULL DEFAULT 0, `executed_at` timestamp NOT NULL,
 `execution_time` bigint NOT NULL, `error` longtext NULL, `error_stmt` longtext NULL,
 `hash` varchar(255) NOT NULL,
 `partial_hashes` json NULL, `operator_version` varchar(255) NOT NULL, PRIMARY KEY (`version`))
 CHARSET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO `atlas_schema_revisions` (`description`, `type`, `applied`, `total`, `executed_at`,
 `execution_time`, `error`, `error_stmt`, `hash`, `partial_hashes`, `operator_version`, `version`)
 VALUES ('first', 2, 1, 1, '2024-01-01 00:00:01',
 1234567, '', '', 'Bc4/TsoaziksCMuoVZY2kHb1UaSz7PoqAbVIVb9MX+M=', 'null', 'Atlas CLI v1.2.3',
 '20240101000001');
INSERT INTO `atlas_schema_revisions` (`description`, `type`, `applied`, `total`, `executed_at`,
 `execution_time`, `error`, `error_stmt`, `hash`, `partial_hashes`, `operator_version`, `version`)
 VALUES ('second', 2, 1, 1, '2024-01-01 00:00:02',
 1234567, '', '', '+4xr+ho6j5FlU3TPC2aUwGMnQAUsRvi8saL8oPMoF+E=', 'null', 'Atlas CLI v1.2.3',
 '20240101000002');
INSERT INTO `atlas_schema_revisions` (`description`, `type`, `applied`, `total`, `executed_at`,
 `execution_time`, `error`, `error_stmt`, `hash`, `partial_hashes`, `operator_version`, `version`)
 VALUES ('third', 2, 1, 1, '2024-01-01 00:00:03',
 1234567, '', '', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'null', 'Atlas CLI v1.2.3',
 '20240101000003');
