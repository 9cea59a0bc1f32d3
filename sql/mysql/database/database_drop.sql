-- database_drop: whether a database is the server's own, how many that we may see are connected to it, the
-- statement that drops it, which cares for nobody's connection, so it is there twice, and the one that gives
-- this user the right; no row if it is not there.
-- $1 its name
SELECT LOWER(s.schema_name) IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo'),
	(SELECT COUNT(*) FROM information_schema.processlist AS p
	 WHERE p.db = s.schema_name AND p.id <> CONNECTION_ID()),
	CONCAT('DROP DATABASE `', REPLACE(s.schema_name, '`', '``'), '`'),
	CONCAT('DROP DATABASE `', REPLACE(s.schema_name, '`', '``'), '`'),
	CONCAT('GRANT DROP ON `', REPLACE(s.schema_name, '`', '``'), '`.* TO ',
		QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@',
		QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)))
FROM information_schema.schemata AS s
WHERE s.schema_name = $1
  AND (@@lower_case_table_names <> 0 OR CAST(s.schema_name AS BINARY) = CAST($1 AS BINARY))
