-- reap_suspects: a page of notes on sessions that are dead by now, or deleted, or have sent a heartbeat
-- since; and on grants that were being taken away (see reap_revoked), without a revocation of that time
-- now.
-- $1 at most so many
SELECT k.session, k.watcher, k.beat
  FROM dblock_suspect k
 WHERE NOT EXISTS (SELECT 1 FROM dblock_session s
                    WHERE s.id = k.session AND s.beat = k.beat AND NOT s.dead)
   AND NOT EXISTS (SELECT 1 FROM dblock_revocation m
                    WHERE substr(k.session, 17) = lpad(to_hex(m.since), 16, '0'))
 LIMIT $1::bigint
