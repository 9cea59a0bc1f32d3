-- join_behind: join the queue of a lock, to hold it alone, behind two others: the usual case of join if many
-- processes want one name. Nothing is announced, and nobody looks: see join, for two others. A row with the
-- ticket; none: there are no two, or the name is not known, or our own session is dead, or this is an older
-- copy. The two are counted as they stand there, though their sessions may be dead.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 address  $9 not 0: its thread does nothing else meanwhile
-- $10 own session's last beat: an older copy of the database does not have it
-- (Without the ORDER BY the two would be looked for by the other index, through all of it.)
INSERT INTO dblock_queue (name, nonce, session, thread, lease, at_least, value, bell, since,
                          mode, weight, names, blocks)
SELECT l.name, $2::bigint, me.id, $4::bigint, $5::bigint, $6::bigint, $7::text,
       $8::text, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, 0, 1, 1, $9::int <> 0
  FROM dblock_lock l, dblock_session me
 WHERE l.name = $1::text AND l.queued
   AND (SELECT a.ticket FROM dblock_queue a
         WHERE a.name = $1::text AND a.ticket > l.served AND a.token IS NULL AND a.upgrades IS NULL
         ORDER BY a.ticket OFFSET 1 LIMIT 1) IS NOT NULL
   AND me.id = $3::text AND NOT me.dead AND me.beat >= $10::bigint
   AND set_config('synchronous_commit', 'off', true) = 'off'
RETURNING ticket
