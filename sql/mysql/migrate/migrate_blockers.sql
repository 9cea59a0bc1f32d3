-- migrate_blockers: MySQL: who has locked a table that a statement names (needs SELECT on
-- performance_schema). MariaDB tells that with the plugin METADATA_LOCK_INFO only; there: whose
-- transactions are older than the wait was long (needs the PROCESS privilege).
-- $1 ms waited  $2 the statement
SELECT CONCAT('connection ', w.id, ' (', w.who, ', ', w.state, ' for ', w.seconds, ' s) ',
	w.what, COALESCE(CONCAT(': ', NULLIF(LEFT(w.query, 120), '')), ''))
FROM (SELECT $1 AS ms, LOWER($2) AS statement) AS a
JOIN (
	/*M! SELECT p.id, CONCAT(p.user, '@', p.host) AS who, LOWER(p.command) AS state, p.time AS seconds,
		CONCAT('is in a transaction since ', t.trx_started) AS what, p.info AS query,
		TIMESTAMPDIFF(SECOND, t.trx_started, CONVERT_TZ(NOW(), @@time_zone, 'SYSTEM')) * 1000 AS ms, '' AS name
	FROM information_schema.innodb_trx AS t
	JOIN information_schema.processlist AS p ON p.id = t.trx_mysql_thread_id */
	/*!80000 SELECT p.processlist_id AS id,
		CONCAT(p.processlist_user, '@', COALESCE(p.processlist_host, '')) AS who,
		LOWER(p.processlist_command) AS state, p.processlist_time AS seconds,
		CONCAT('has locked ', k.object_name) AS what, p.processlist_info AS query,
		NULL AS ms, LOWER(k.object_name) AS name
	FROM performance_schema.metadata_locks AS k
	JOIN performance_schema.threads AS p ON p.thread_id = k.owner_thread_id
	WHERE k.object_type = 'TABLE' AND k.lock_status = 'GRANTED' */) AS w
  ON w.id <> CONNECTION_ID() AND COALESCE(w.ms, a.ms) >= a.ms AND LOCATE(w.name, a.statement) > 0
GROUP BY w.id, w.who, w.state, w.seconds, w.what, w.query
ORDER BY w.seconds DESC
LIMIT 3
