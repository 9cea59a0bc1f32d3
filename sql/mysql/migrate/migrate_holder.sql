-- migrate_holder: who has the right to migrate, if anybody: as far as this user may see.
-- Within LIMIT it is asked once: else MySQL asks for WHERE and again for the text, when nobody may have it.
-- The list of processes: see ring.
-- $1 database, '' = the connection's  $2 what is migrated there
SELECT CONCAT('connection ', h.id,
	COALESCE((SELECT CONCAT(' of ', p.user, '@', p.host)
		FROM (SELECT id, user, host FROM information_schema.processlist
			/*!80000 WHERE NOT @@performance_schema
			UNION ALL SELECT id, user, host FROM performance_schema.processlist */) AS p
		WHERE p.id = h.id), ''))
FROM (SELECT IS_USED_LOCK(CONCAT('dblock ', LEFT(SHA2(CONCAT(
	CASE WHEN $1 = '' THEN COALESCE(DATABASE(), '') ELSE $1 END, ' ', $2), 256), 40))) AS id LIMIT 1) AS h
WHERE h.id IS NOT NULL
