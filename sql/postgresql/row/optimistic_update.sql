-- optimistic_update: change a row whose version is as it was read. It waits for another transaction
-- that changed it only so long; what was set is kept for optimistic_leave.
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
