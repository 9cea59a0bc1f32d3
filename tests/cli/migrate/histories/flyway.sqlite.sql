-- Flyway 13.0.0 (flyway-13.0.0), as
-- flyway-core/src/main/java/org/flywaydb/core/internal/database/sqlite/SQLiteDatabase.java makes it
-- No row of type SCHEMA (rank 0, version NULL, only where Flyway made the schema) and none of type BASELINE
-- (version '1', '<< Flyway Baseline >>') here. The last row is a repeatable migration's: version NULL.

CREATE TABLE "main"."flyway_schema_history" (
    "installed_rank" INT NOT NULL PRIMARY KEY,
    "version" VARCHAR(50),
    "description" VARCHAR(200) NOT NULL,
    "type" VARCHAR(20) NOT NULL,
    "script" VARCHAR(1000) NOT NULL,
    "checksum" INT,
    "installed_by" VARCHAR(100) NOT NULL,
    "installed_on" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f','now')),
    "execution_time" INT NOT NULL,
    "success" BOOLEAN NOT NULL
);
CREATE INDEX "main"."flyway_schema_history_s_idx" ON "flyway_schema_history" ("success");

INSERT INTO "main"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (1, '1', 'first', 'SQL', 'V1__first.sql', -1196404881, '', 12, 1);
INSERT INTO "main"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (2, '2', 'second', 'SQL', 'V2__second.sql', 1270498617, '', 12, 1);
INSERT INTO "main"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (3, '3', 'third', 'SQL', 'V3__third.sql', -603821377, '', 12, 1);
INSERT INTO "main"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (4, NULL, 'views', 'SQL', 'R__views.sql', 1847212301, '', 12, 1);
