-- revoke: note that a grant is taken away, so that its holder's client is told; nothing is done if the
-- grant is over. Tokens and nonces are never used again, so a late copy cannot hit another grant. A
-- second revocation leaves the first one's row as it is.
-- $1 session  $2 name  $3 token  $4 nonce  $5 cause  $6 host  $7 pid  $8 app of who takes it away
WITH r AS (
  INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, by_pid, by_app, since, told)
  SELECT $1::text, g.name, $3::bigint, g.nonce, $5::smallint, $6::text, $7::bigint, $8::text,
         (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 0
    FROM (SELECT l.name, l.nonce FROM dblock_lock l
           WHERE l.name = $2::text AND l.nonce <> 0 AND (l.token = $3::bigint OR l.nonce = $4::bigint)
             AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
          UNION
          SELECT q.name, q.nonce FROM dblock_queue q
           WHERE q.name = $2::text AND q.token IS NOT NULL AND q.nonce <> 0
             AND (q.token = $3::bigint OR q.nonce = $4::bigint)) g
   WHERE true
  ON CONFLICT (session, name, token) DO NOTHING
  RETURNING session, name, token, cause, by_host, by_pid, by_app, since)
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT r.since, CASE WHEN r.cause = 4 THEN 6 ELSE 5 END, r.name, r.token,
       coalesce(s.host, ''), coalesce(s.pid, 0), coalesce(s.app, ''), r.session,
       r.by_host, r.by_pid, r.by_app, ''
  FROM r LEFT JOIN dblock_session s ON s.id = r.session
