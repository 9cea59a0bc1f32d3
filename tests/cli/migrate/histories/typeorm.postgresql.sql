-- TypeORM 1.1.1 (npm), as src/migration/MigrationExecutor.ts makes it
-- Taken from a run. timestamp are the last 13 digits of the class name, milliseconds since 1970.

CREATE TABLE "migrations" ("id" SERIAL NOT NULL, "timestamp" bigint NOT NULL,
 "name" character varying NOT NULL,
 CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY ("id"));

INSERT INTO "migrations"("timestamp", "name") VALUES (1704067201000, 'First1704067201000');
