-- Entity Framework Core (dotnet/efcore ecd0ba4c), as src/EFCore.Relational/Migrations/HistoryRepository.cs
-- makes it
-- The SQL of the provider Pomelo, as its MigrationsInfrastructureMySqlTest.cs has it. A row is applied, a
-- down deletes it.

CREATE TABLE IF NOT EXISTS `__EFMigrationsHistory` (
    `MigrationId` varchar(150) CHARACTER SET utf8mb4 NOT NULL,
    `ProductVersion` varchar(32) CHARACTER SET utf8mb4 NOT NULL,
    CONSTRAINT `PK___EFMigrationsHistory` PRIMARY KEY (`MigrationId`)
) CHARACTER SET=utf8mb4;

INSERT INTO `__EFMigrationsHistory` (`MigrationId`, `ProductVersion`)
VALUES ('20240101000001_First', '10.0.11');
