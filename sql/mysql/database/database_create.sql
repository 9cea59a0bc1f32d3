-- database_create: the statement that makes a database, and the one that gives this user the right. MariaDB's
-- default would be latin1 before 11.6.
-- $1 its name
SELECT CONCAT('CREATE DATABASE `', REPLACE($1, '`', '``'), '` CHARACTER SET utf8mb4'),
	CONCAT('GRANT CREATE ON `', REPLACE($1, '`', '``'), '`.* TO ',
		QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@',
		QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)))
