-- revoke: the grant is taken away: its holder's client is to be told; nothing is done if that grant is
-- over. Tokens and nonces never come again, so a copy that comes late is about no other. Who was first
-- to take it away stays on record.
-- $1 session  $2 name  $3 token  $4 nonce  $5 cause  $6 host  $7 pid  $8 app of who takes it away
INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, by_pid, by_app, since, told)
SELECT $1::text, g.name, $3::bigint, g.nonce, $5::int, $6::text, $7::bigint, $8::text, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 0
  FROM (SELECT l.name, l.nonce FROM dblock_lock l
         WHERE l.name = $2::text AND l.nonce <> 0 AND (l.token = $3::bigint OR l.nonce = $4::bigint)
           AND (l.session IS NOT NULL OR l.expires IS NOT NULL)
        UNION
        SELECT q.name, q.nonce FROM dblock_queue q
         WHERE q.name = $2::text AND q.token IS NOT NULL AND q.nonce <> 0
           AND (q.token = $3::bigint OR q.nonce = $4::bigint)) g
ON CONFLICT (session, name, token) DO NOTHING
