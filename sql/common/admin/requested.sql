-- requested: the requests to this process for grants of its; `over`: that grant is over.
-- $1 host  $2 pid
SELECT r.name, r.token,
       (l.name IS NULL AND NOT EXISTS (SELECT 1 FROM dblock_queue q
                   WHERE q.name = r.name AND q.token = r.token AND q.nonce <> 0)) AS over_now,
       r.reason, r.by_host, r.by_pid, r.by_app, r.since
  FROM dblock_request r
  LEFT JOIN dblock_lock l ON l.name = r.name AND l.token = r.token AND l.nonce <> 0
 WHERE r.host = $1 AND r.pid = $2
 ORDER BY r.name, r.token
