-- reap_suspects: who was watched and is dead by now, or gone, or has beaten since; and grants that were
-- taken away (see reap_revoked) and have no mark of that time any more. A page of them.
-- $1 at most so many
SELECT k.session, k.watcher, k.beat
  FROM dblock_suspect k
 WHERE NOT EXISTS (SELECT 1 FROM dblock_session s
                    WHERE s.id = k.session AND s.beat = k.beat AND NOT s.dead)
   AND NOT EXISTS (SELECT 1 FROM dblock_revocation m
                    WHERE substr(k.session, 17) = lpad(to_hex(m.since), 16, '0'))
 LIMIT $1::bigint
