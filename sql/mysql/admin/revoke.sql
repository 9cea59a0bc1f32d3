-- revoke: note that a grant is taken away, so that its holder's client is told; nothing is done if the
-- grant is over. Tokens and nonces are never used again, so a late copy cannot hit another grant. A
-- second revocation leaves the first one's row as it is.
-- $1 session  $2 name  $3 token  $4 nonce  $5 cause  $6 host  $7 pid  $8 app of who takes it away
INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, by_pid, by_app, since, told)
SELECT $1, g.name, $3, g.nonce, $5, $6, $7, $8, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), 0
  FROM (SELECT l.name, l.nonce FROM dblock_lock l
         WHERE l.name = $2 AND l.nonce <> 0 AND (l.token = $3 OR l.nonce = $4)
           AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
        UNION
        SELECT q.name, q.nonce FROM dblock_queue q
         WHERE q.name = $2 AND q.token IS NOT NULL AND q.nonce <> 0
           AND (q.token = $3 OR q.nonce = $4)) g
ON DUPLICATE KEY UPDATE told = told
-- also
-- revoke: also the event of it
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), CASE WHEN $5 = 4 THEN 6 ELSE 5 END, $2, $3,
       coalesce(s.host, ''), coalesce(s.pid, 0), coalesce(s.app, ''), $1, $6, $7, $8, ''
  FROM (SELECT 1 AS one) d LEFT JOIN dblock_session s ON s.id = $1
