-- enter: take a lock in a mode that several may hold, where nobody waits, and all who hold it go together with
-- that: the usual case of line, enqueue and grant, in one statement. A row with the token. None: it is not so,
-- or somebody may be dead, or a lease over, or the name is not known, or our own session is dead, or this is
-- an older copy: read line, and decide.
-- $1 name  $2 nonce  $3 own session  $4 thread  $5 lease us or NULL  $6 minimum hold us or NULL
-- $7 value or NULL  $8 mode (not exclusive)  $9 weight  $10 capacity; NULL: what is stored
-- $11 not 0: its thread does nothing else meanwhile
-- $12 own session's last beat: an older copy of the database does not have it
-- Who goes together with whom: grant_policy.h. `served` stays, as the row's ticket has not waited. (Without the
-- ORDER BY the rows would be looked for by the other index, through all of it; joins would read all sessions or
-- names.)
-- The rows are read in the statement's snapshot, but the lock's row is written as it is by then: it has to be
-- free in both, and to have the snapshot's version and token. Of what may be committed between the two,
--   enter, grant, downgrade raise the version, as this does, so one of the two does nothing;
--   acquire and a hand-over to somebody: the lock's row is held then; they take it only if no rows hold it;
--   a hand-over to nobody does nothing if this comes first, and else changes nothing that was read;
--   join and announce raise the version. Who joins and does not do that, or not yet (enqueue, join_behind),
--     and is not seen here, is passed over, as by grant: his next look finds rows that hold the lock;
--   resize raises the version, so what is stored is what the rows were read with;
--   dequeue, row_release, row_rest, row_mode, row_end, expel, reap_rows: no more is held than was read;
--   bury: the dead hold what they have until it is expelled;
--   purge_delete: the lock's row is gone, and nothing is written.
WITH l AS (
  UPDATE dblock_lock AS u
     SET mode = 1, queue_version = u.queue_version + 1,
         token = greatest(u.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
         acquired = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    FROM (SELECT coalesce(sum(CASE WHEN q.token IS NOT NULL THEN q.weight END), 0) AS weight,
                 count(CASE WHEN q.token IS NULL
                              THEN nullif(q.upgrades IS NOT NULL
                                          OR q.ticket > (SELECT x.served FROM dblock_lock x WHERE x.name = $1::text),
                                          false)
                            WHEN q.expires IS NULL
                                 AND coalesce((SELECT s.dead FROM dblock_session s WHERE s.id = q.session), true)
                              THEN true
                            WHEN q.expires <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint THEN true
                            WHEN q.mode = 3
                              THEN nullif($8::int <> 3
                                          OR ((SELECT x.capacity FROM dblock_lock x WHERE x.name = $1::text) IS NULL
                                              AND q.capacity <> $10::bigint), false)
                            ELSE nullif($8::int = 3 OR q.mode = 0 OR (q.mode = 2 AND $8::int = 2), false) END) AS others
            FROM (SELECT a.* FROM dblock_queue a WHERE a.name = $1::text ORDER BY a.ticket) q) h
   WHERE u.name = $1::text
     AND u.queue_version = (SELECT x.queue_version FROM dblock_lock x WHERE x.name = $1::text)
     AND u.token = (SELECT x.token FROM dblock_lock x WHERE x.name = $1::text)
     AND u.session IS NULL AND u.expires IS NULL AND NOT u.queued
     AND h.others = 0
     AND ($8::int <> 3 OR (h.weight + $9::bigint <= coalesce(u.capacity, $10::bigint)
                           AND coalesce($10::bigint = u.capacity, true)))
     AND (SELECT NOT me.dead AND me.beat >= $12::bigint FROM dblock_session me WHERE me.id = $3::text)
  RETURNING u.name, u.token)
INSERT INTO dblock_queue AS w (name, nonce, session, thread, lease, at_least, value, bell, since, mode, weight,
                               capacity, blocks, token, acquired, expires, keep_until, host, pid)
SELECT l.name, $2::bigint, me.id, $4::bigint, $5::bigint, $6::bigint, $7::text, '', c.now, $8::smallint,
       $9::bigint, $10::bigint, $11::int <> 0, l.token, c.now, c.now + $5::bigint, c.now + $6::bigint,
       me.host, me.pid
  FROM l
  JOIN dblock_session me ON me.id = $3::text
 CROSS JOIN (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
RETURNING w.token
