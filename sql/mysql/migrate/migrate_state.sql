-- migrate_state: the server's own word for what a session's statement is at, and MariaDB's for how far it
-- is: every user may see that of his own sessions. The list of processes: see ring.
-- $1 its number
SELECT LEFT(CASE WHEN p.state LIKE 'Waiting for % lock' THEN 'waits for a lock'
		ELSE CONCAT(p.state, p.done) END, 150)
FROM (
	SELECT id, user, command, state,
		/*M! CONCAT(CASE WHEN max_stage > 1 THEN CONCAT(', stage ', stage, ' of ', max_stage) ELSE '' END,
			CASE WHEN progress >= 1 THEN CONCAT(': ', FLOOR(progress), ' %') ELSE '' END) */
		/*!80000 '' */ AS done
	FROM information_schema.processlist
	/*!80000 WHERE NOT @@performance_schema
	UNION ALL SELECT id, user, command, state, '' FROM performance_schema.processlist */) AS p
WHERE p.id = $1 AND p.user = SUBSTRING_INDEX(USER(), '@', 1) AND p.command = 'Query'
  AND p.state NOT IN ('', 'executing')
