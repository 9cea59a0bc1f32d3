-- TypeORM 1.1.1 (npm), as src/migration/MigrationExecutor.ts makes it
-- Taken from a run with a driver that only prints. timestamp are the last 13 digits of the class name,
-- milliseconds since 1970.

CREATE TABLE "migrations" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "timestamp" bigint NOT NULL,
 "name" varchar NOT NULL);

INSERT INTO "migrations"("timestamp", "name") VALUES (1704067201000, 'First1704067201000');
