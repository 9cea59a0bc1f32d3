-- own_rows: the rows of the line that this session has, those that wait and those that hold, and leases of
-- this process; by_session is 0 for one that holds by a lease.
-- $1 own session
SELECT w.name, w.nonce, coalesce(w.token, 0) AS token, w.expires IS NULL AS by_session
  FROM dblock_queue w
 WHERE w.nonce <> 0
   AND (w.session = $1
        OR (w.expires IS NOT NULL
            AND EXISTS (SELECT 1 FROM dblock_session me
                         WHERE me.id = $1 AND me.host = w.host AND me.pid = w.pid)))
