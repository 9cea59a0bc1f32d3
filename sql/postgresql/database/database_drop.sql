-- database_drop: whether a database is the server's own, how many are connected to it, the statement that drops
-- it, the one that ends their connections first (before version 13 there is none), and the one that gives this
-- user the right; no row if it is not there. What the server itself does there has no user, and is in nobody's
-- way.
-- $1 its name
SELECT d.datistemplate OR d.datname IN ('postgres', 'rdsadmin', 'cloudsqladmin', 'azure_maintenance', 'azure_sys'),
	(SELECT count(*) FROM pg_catalog.pg_stat_activity AS a
	 WHERE a.datid = d.oid AND a.usesysid IS NOT NULL AND a.pid <> pg_backend_pid()),
	format('DROP DATABASE %I', d.datname),
	format('DROP DATABASE %I', d.datname) ||
		CASE WHEN current_setting('server_version_num')::int >= 130000 THEN ' WITH (FORCE)' ELSE '' END,
	format('ALTER DATABASE %I OWNER TO %I', d.datname, current_user)
FROM pg_catalog.pg_database AS d
WHERE d.datname = $1::text
