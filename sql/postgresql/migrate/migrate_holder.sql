-- migrate_holder: who has the right to migrate, if anybody: as far as this role may see.
-- $1 schema  $2 what is migrated there
SELECT concat('process ', l.pid, ' of the server', ' for ' || a.usename,
	' at ' || host(a.client_addr), ' (' || nullif(a.application_name, '') || ')')
FROM (SELECT hashtextextended(quote_ident($1::text) || $2::text, 0) AS key) AS k
JOIN pg_locks AS l ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
	AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND l.classid::bigint = (k.key >> 32) & 4294967295
	AND l.objid::bigint = k.key & 4294967295
LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
