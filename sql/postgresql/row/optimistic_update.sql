-- optimistic_update: change a row whose version is the one that was read. The time that it waits for
-- another transaction that has changed the row is bounded; the old setting is kept for optimistic_leave.
UPDATE :table
   SET :set
  FROM (SELECT pg_catalog.set_config('dblock.lock_timeout',
                                     pg_catalog.current_setting('lock_timeout'), true) AS theirs,
               pg_catalog.set_config('lock_timeout', :wait, true) AS ours) AS wait_of_dblock
 WHERE wait_of_dblock.theirs IS NOT NULL
   AND wait_of_dblock.ours IS NOT NULL
   AND :key
   AND :version = :old
RETURNING :version
