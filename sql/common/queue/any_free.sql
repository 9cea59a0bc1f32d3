-- any_free: of the names that a wait for any one of them stands in line for, the one that it was granted, and
-- those that nobody holds alone.
-- $1 own session  $2 thread  $3 nonce
SELECT q.name
  FROM dblock_queue q
  JOIN dblock_lock l ON l.name = q.name
 WHERE q.session = $1 AND q.thread = $2 AND q.nonce = $3
   AND (q.token IS NOT NULL
        OR (l.session IS NULL AND l.expires IS NULL
            AND NOT EXISTS (SELECT 1 FROM dblock_queue h
                             WHERE h.name = q.name AND h.token IS NOT NULL AND h.mode = 0)))
