-- own_rows: this session's rows of dblock_queue, waits and grants, and rows with leases of this process;
-- by_session is 0 for those.
-- $1 own session
SELECT w.name, w.nonce, coalesce(w.token, 0) AS token, w.expires IS NULL AS by_session
  FROM dblock_queue w
 WHERE w.nonce <> 0
   AND (w.session = $1
        OR (w.expires IS NOT NULL
            AND EXISTS (SELECT 1 FROM dblock_session me
                         WHERE me.id = $1 AND me.host = w.host AND me.pid = w.pid)))
