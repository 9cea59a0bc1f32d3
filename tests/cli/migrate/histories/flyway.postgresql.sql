-- Flyway 13.0.0 (flyway-13.0.0), as flyway-database/flyway-database-postgresql/src/main/java/
-- org/flywaydb/database/postgresql/PostgreSQLDatabase.java makes it
-- No row of type SCHEMA (rank 0, version NULL, only where Flyway made the schema) and none of type BASELINE
-- (version '1', '<< Flyway Baseline >>') here. The last row is a repeatable migration's: version NULL. The
-- tool names the schema: the default schema of its configuration or connection.

CREATE TABLE "public"."flyway_schema_history" (
    "installed_rank" INT NOT NULL,
    "version" VARCHAR(50),
    "description" VARCHAR(200) NOT NULL,
    "type" VARCHAR(20) NOT NULL,
    "script" VARCHAR(1000) NOT NULL,
    "checksum" INTEGER,
    "installed_by" VARCHAR(100) NOT NULL,
    "installed_on" TIMESTAMP NOT NULL DEFAULT now(),
    "execution_time" INTEGER NOT NULL,
    "success" BOOLEAN NOT NULL
);
ALTER TABLE "public"."flyway_schema_history" ADD CONSTRAINT "flyway_schema_history_pk"
 PRIMARY KEY ("installed_rank");
CREATE INDEX "flyway_schema_history_s_idx" ON "public"."flyway_schema_history" ("success");

INSERT INTO "public"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (1, '1', 'first', 'SQL', 'V1__first.sql', -1196404881, 'postgres', 12, TRUE);
INSERT INTO "public"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (2, '2', 'second', 'SQL', 'V2__second.sql', 1270498617, 'postgres', 12, TRUE);
INSERT INTO "public"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (3, '3', 'third', 'SQL', 'V3__third.sql', -603821377, 'postgres', 12, TRUE);
INSERT INTO "public"."flyway_schema_history" ("installed_rank", "version", "description", "type",
 "script", "checksum", "installed_by", "execution_time", "success")
 VALUES (4, NULL, 'views', 'SQL', 'R__views.sql', 1847212301, 'postgres', 12, TRUE);
