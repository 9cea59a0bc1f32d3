-- migrate_progress: MySQL (needs SELECT on performance_schema): whom a session's statement waits for, or
-- how far it is, where the server keeps that (setup_consumers: events_stages_current).
-- MariaDB (needs PROCESS): whose row it waits for; who has locked a table it tells with the plugin
-- METADATA_LOCK_INFO only: perhaps those whose transactions are older than the wait.
-- $1 its number
SELECT LEFT(CASE WHEN COUNT(w.holder) > 0
		THEN CONCAT('waits for a lock that ', MAX(w.sure), 'connection ',
			GROUP_CONCAT(DISTINCT w.holder ORDER BY w.holder SEPARATOR ', '), ' has')
		ELSE COALESCE(MAX(w.done), 'waits for a lock') END, 150)
FROM (SELECT $1 AS id) AS a
JOIN (
	/*M! SELECT r.trx_mysql_thread_id AS id, b.trx_mysql_thread_id AS holder, '' AS sure, NULL AS done
	FROM information_schema.innodb_lock_waits AS l
	JOIN information_schema.innodb_trx AS r ON r.trx_id = l.requesting_trx_id
	JOIN information_schema.innodb_trx AS b ON b.trx_id = l.blocking_trx_id
	UNION ALL
	SELECT p.id, t.trx_mysql_thread_id, 'perhaps ', NULL
	FROM information_schema.processlist AS p
	JOIN information_schema.innodb_trx AS t
	  ON t.trx_mysql_thread_id NOT IN (0, p.id)
	 AND TIMESTAMPDIFF(SECOND, t.trx_started, CONVERT_TZ(NOW(), @@time_zone, 'SYSTEM')) >= p.time
	WHERE p.state LIKE '% metadata lock' */
	/*!80000 SELECT r.processlist_id AS id, b.processlist_id AS holder, '' AS sure, NULL AS done
	FROM performance_schema.data_lock_waits AS l
	JOIN performance_schema.threads AS r ON r.thread_id = l.requesting_thread_id
	JOIN performance_schema.threads AS b ON b.thread_id = l.blocking_thread_id
	UNION ALL
	SELECT r.processlist_id, b.processlist_id, '', NULL
	FROM performance_schema.metadata_locks AS l
	JOIN performance_schema.metadata_locks AS k
	  ON k.object_type = l.object_type AND k.object_schema <=> l.object_schema
	 AND k.object_name <=> l.object_name AND k.lock_status = 'GRANTED'
	 AND k.owner_thread_id <> l.owner_thread_id
	JOIN performance_schema.threads AS r ON r.thread_id = l.owner_thread_id
	JOIN performance_schema.threads AS b ON b.thread_id = k.owner_thread_id
	WHERE l.lock_status = 'PENDING'
	UNION ALL
	SELECT r.processlist_id, NULL, NULL, CONCAT(SUBSTRING_INDEX(e.event_name, '/', -1), ': ',
		LEAST(100, 100 * e.work_completed DIV e.work_estimated), ' %')
	FROM performance_schema.events_stages_current AS e
	JOIN performance_schema.threads AS r ON r.thread_id = e.thread_id
	WHERE e.work_estimated > 0 */) AS w
  ON w.id = a.id
HAVING COUNT(*) > 0
