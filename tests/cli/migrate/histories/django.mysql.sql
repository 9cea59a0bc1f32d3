-- Django 4.1 and later, as django/db/migrations/recorder.py makes it
-- The ORM's SQL that results in this database. A row is applied, a down deletes it; a migration is (app,
-- name), and a project has rows of many apps (auth, contenttypes, ...). No unique key: doubles can be. A
-- squashed migration gets a row as well as those it replaces.

CREATE TABLE `django_migrations` (`id` bigint AUTO_INCREMENT NOT NULL PRIMARY KEY,
 `app` varchar(255) NOT NULL,
 `name` varchar(255) NOT NULL, `applied` datetime(6) NOT NULL);

INSERT INTO `django_migrations` (`app`, `name`, `applied`)
 VALUES ('app', '0001_first', '2024-01-01 00:00:01.123456');
INSERT INTO `django_migrations` (`app`, `name`, `applied`)
 VALUES ('app', '0002_second', '2024-01-01 00:00:02.123456');
INSERT INTO `django_migrations` (`app`, `name`, `applied`)
 VALUES ('app', '0003_third', '2024-01-01 00:00:03.123456');
