-- Doctrine Migrations 3.8.2-1-ga3af2318, as src/Metadata/Storage/TableMetadataStorage.php makes it
-- DBAL's SQL that results in this database. The version is the name of the class. A down deletes the row.

CREATE TABLE doctrine_migration_versions (version VARCHAR(191) NOT NULL, executed_at DATETIME DEFAULT NULL,
 execution_time INT DEFAULT NULL, PRIMARY KEY(version));

INSERT INTO doctrine_migration_versions (version, executed_at, execution_time)
 VALUES ('DoctrineMigrations\\Version20240101000001', '2024-01-01 00:00:01', 12);
