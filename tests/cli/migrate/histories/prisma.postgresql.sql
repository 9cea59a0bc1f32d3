-- Prisma (prisma-engines 1f7ff79b), as schema-engine/connectors/sql-schema-connector/src/flavour/postgres.rs
-- (create_migrations_table) and sql_migration_persistence.rs make it
-- The checksum is SHA-256 of migration.sql, here of CREATE TABLE first (id INT); (second, third) and newline.
-- Applied: finished_at set and rolled_back_at NULL. Failed: both NULL, the error in logs. One name may have
-- several rows: those rolled back, then another.

CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
);

INSERT INTO "_prisma_migrations" ("id","checksum","started_at","migration_name")
 VALUES ('1b2c3d4e-0000-4000-8000-000000000001',
 '6b983936d66062aa416c7374eba87a3ad36946ab5f4e583ab3fcb0137b4593ce',
 '2024-01-01 00:00:01+00', '20240101000001_first');
UPDATE "_prisma_migrations" SET "applied_steps_count" = "applied_steps_count" + 1
 WHERE "id" = '1b2c3d4e-0000-4000-8000-000000000001';
UPDATE "_prisma_migrations" SET "finished_at" = '2024-01-01 00:00:01.010+00'
 WHERE "id" = '1b2c3d4e-0000-4000-8000-000000000001';
INSERT INTO "_prisma_migrations" ("id","checksum","started_at","migration_name")
 VALUES ('2b2c3d4e-0000-4000-8000-000000000002',
 'a54c41123ab626dde62b18093703b7e3704a91c76afde56f9f05868344b4df9a',
 '2024-01-01 00:00:02+00', '20240101000002_second');
UPDATE "_prisma_migrations" SET "applied_steps_count" = "applied_steps_count" + 1
 WHERE "id" = '2b2c3d4e-0000-4000-8000-000000000002';
UPDATE "_prisma_migrations" SET "finished_at" = '2024-01-01 00:00:02.010+00'
 WHERE "id" = '2b2c3d4e-0000-4000-8000-000000000002';
INSERT INTO "_prisma_migrations" ("id","checksum","started_at","migration_name")
 VALUES ('3b2c3d4e-0000-4000-8000-000000000003',
 '27dc4acf378748f3466aa173715a9417184cb60494e0fdc5ce88e0f4742976c8',
 '2024-01-01 00:00:03+00', '20240101000003_third');
UPDATE "_prisma_migrations" SET "applied_steps_count" = "applied_steps_count" + 1
 WHERE "id" = '3b2c3d4e-0000-4000-8000-000000000003';
UPDATE "_prisma_migrations" SET "finished_at" = '2024-01-01 00:00:03.010+00'
 WHERE "id" = '3b2c3d4e-0000-4000-8000-000000000003';
