-- Entity Framework Core (dotnet/efcore ecd0ba4c), as src/EFCore.Relational/Migrations/HistoryRepository.cs
-- makes it
-- The SQL of the provider Npgsql, as its users' scripts have it. A row is applied, a down deletes it.

CREATE TABLE IF NOT EXISTS "__EFMigrationsHistory" (
    "MigrationId" character varying(150) NOT NULL,
    "ProductVersion" character varying(32) NOT NULL,
    CONSTRAINT "PK___EFMigrationsHistory" PRIMARY KEY ("MigrationId")
);

INSERT INTO "__EFMigrationsHistory" ("MigrationId", "ProductVersion")
VALUES ('20240101000001_First', '10.0.11');
