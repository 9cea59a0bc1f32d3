-- Entity Framework Core (dotnet/efcore ecd0ba4c), as src/EFCore.Relational/Migrations/HistoryRepository.cs
-- makes it
-- The SQL that results in this database, as test/EFCore.Sqlite.FunctionalTests/Migrations/
-- MigrationsInfrastructureSqliteTest.cs has it. A row is applied, a down deletes it. There is a table
-- __EFMigrationsLock too, with a row while migrations run.

CREATE TABLE IF NOT EXISTS "__EFMigrationsHistory" (
    "MigrationId" TEXT NOT NULL CONSTRAINT "PK___EFMigrationsHistory" PRIMARY KEY,
    "ProductVersion" TEXT NOT NULL
);

INSERT INTO "__EFMigrationsHistory" ("MigrationId", "ProductVersion")
VALUES ('20240101000001_First', '10.0.11');
