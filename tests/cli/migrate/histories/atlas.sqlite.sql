-- Atlas v1.2.3 (a5e0aecc), as cmd/atlas/internal/migrate/ent/schema/revision.go makes it
-- ent's SQL that results in this database (ent v0.14.5, dialect/sql/schema), in the connection's schema; else
-- the table is in a schema atlas_schema_revisions. Each INSERT goes on with an upsert of all columns, and
-- comes before the file with applied = 0, after each statement, and at the end. type: bits 1 baseline, 2
-- executed, 4 set by hand. applied < total or error <> "": failed in the middle. A row of version
-- .atlas_cloud_identifier (only with the cloud) is no migration.

CREATE TABLE `atlas_schema_revisions` (`version` text NOT NULL, `description` text NOT NULL,
 `type` integer NOT NULL DEFAULT 2, `applied` integer NOT NULL DEFAULT 0, `total` integer NOT NULL DEFAULT 0,
 `executed_at` datetime NOT NULL, `execution_time` integer NOT NULL, `error` text NULL,
 `error_stmt` text NULL,
 `hash` text NOT NULL, `partial_hashes` json NULL, `operator_version` text NOT NULL, PRIMARY KEY (`version`));

INSERT INTO `atlas_schema_revisions` (`description`, `type`, `applied`, `total`, `executed_at`,
 `execution_time`, `error`, `error_stmt`, `hash`, `partial_hashes`, `operator_version`, `version`)
 VALUES ('first', 2, 1, 1, '2024-01-01 00:00:01.123456789+00:00',
 1234567, '', '', 'Bc4/TsoaziksCMuoVZY2kHb1UaSz7PoqAbVIVb9MX+M=', 'null', 'Atlas CLI v1.2.3',
 '20240101000001');
INSERT INTO `atlas_schema_revisions` (`description`, `type`, `applied`, `total`, `executed_at`,
 `execution_time`, `error`, `error_stmt`, `hash`, `partial_hashes`, `operator_version`, `version`)
 VALUES ('second', 2, 1, 1, '2024-01-01 00:00:02.123456789+00:00',
 1234567, '', '', '+4xr+ho6j5FlU3TPC2aUwGMnQAUsRvi8saL8oPMoF+E=', 'null', 'Atlas CLI v1.2.3',
 '20240101000002');
INSERT INTO `atlas_schema_revisions` (`description`, `type`, `applied`, `total`, `executed_at`,
 `execution_time`, `error`, `error_stmt`, `hash`, `partial_hashes`, `operator_version`, `version`)
 VALUES ('third', 2, 1, 1, '2024-01-01 00:00:03.123456789+00:00',
 1234567, '', '', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'null', 'Atlas CLI v1.2.3',
 '20240101000003');
