-- request: ask the holder of a grant to release it; nothing is done if that grant is over. The row is
-- found by its token, so a late copy cannot ask the next holder.
-- $1 name  $2 token  $3 reason  $4 host  $5 pid  $6 app of the requester
INSERT INTO dblock_request (host, pid, name, token, reason, by_host, by_pid, by_app, since)
SELECT g.host, g.pid, g.name, g.token, $3, $4, $5, $6,
       CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
  FROM (SELECT host, pid, name, token FROM dblock_lock WHERE name = $1 AND token = $2 AND nonce <> 0
        UNION ALL
        SELECT host, pid, name, token FROM dblock_queue WHERE name = $1 AND token = $2 AND nonce <> 0) g
ON DUPLICATE KEY UPDATE
  reason = $3, by_host = $4, by_pid = $5, by_app = $6,
  since = CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
