-- migrate_mine: does this very connection have the right to migrate? Its number, or 0. Behind a pooler
-- the number is not the one from when it was opened.
-- $1 schema  $2 what is migrated there
SELECT CASE WHEN EXISTS (
	SELECT FROM (SELECT hashtextextended(quote_ident($1::text) || $2::text, 0) AS key) AS k
	JOIN pg_locks AS l ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
		AND l.pid = pg_backend_pid()
		AND l.classid::bigint = (k.key >> 32) & 4294967295
		AND l.objid::bigint = k.key & 4294967295) THEN pg_backend_pid() ELSE 0 END
