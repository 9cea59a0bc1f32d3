-- TypeORM 1.1.1 (npm), as src/migration/MigrationExecutor.ts makes it
-- Taken from a run. timestamp are the last 13 digits of the class name, milliseconds since 1970. The tool
-- puts `database`. before the table name of the INSERT.

CREATE TABLE `migrations` (`id` int NOT NULL AUTO_INCREMENT, `timestamp` bigint NOT NULL,
 `name` varchar(255) NOT NULL, PRIMARY KEY (`id`)) ENGINE=InnoDB;

INSERT INTO `migrations`(`timestamp`, `name`) VALUES (1704067201000, 'First1704067201000');
