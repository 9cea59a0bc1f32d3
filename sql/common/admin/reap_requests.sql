-- reap_requests: a page of the requests for grants that are over.
-- $1 at most so many
SELECT r.name, r.token, r.host, r.pid
  FROM dblock_request r
  LEFT JOIN dblock_lock l ON l.name = r.name AND l.token = r.token AND l.nonce <> 0
 WHERE l.name IS NULL
   AND NOT EXISTS (SELECT 1 FROM dblock_queue q
                    WHERE q.name = r.name AND q.token = r.token AND q.nonce <> 0)
 LIMIT $1
