-- grant: give a lock to several waiters in one statement, each with a token of its own; a row for each
-- with its nonce, its token, its address and its session's beat, which an older copy of the database has not.
-- None: the lock has been taken, or its waiters or holders are not those of the decision: look, and decide
-- again. The commit is at least as durable as 'on', as hand_over's.
-- $1 name  $2 queue_version as seen  $3 token as seen  $4 token of the first  $5 of the last
-- $6 their tickets, then their nonces, with commas between them  $7 served from now on: up to this ticket
-- $8 not 0: others still wait; 2: one of them with a priority
WITH l AS (
  UPDATE dblock_lock
     SET mode = CASE WHEN current_setting('synchronous_commit') IN ('on', 'remote_apply')
                       OR set_config('synchronous_commit', 'on', true) = 'on' THEN 1 END,
         token = $5::bigint, queue_version = queue_version + 1,
         served = greatest(served, $7::bigint), queued = ($8::int <> 0), ranked = ($8::int = 2),
         acquired = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
   WHERE name = $1::text AND queue_version = $2::bigint AND token = $3::bigint
     AND session IS NULL AND expires IS NULL
  RETURNING name)
UPDATE dblock_queue w
   SET token = $4::bigint - 1 + array_position(string_to_array($6::text, ',')::bigint[], w.ticket),
       acquired = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
       expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + w.lease,
       keep_until = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + w.at_least,
       host = s.host, pid = s.pid
  FROM l, dblock_session s
 WHERE w.name = l.name AND w.token IS NULL
   AND w.ticket = ANY (string_to_array($6::text, ',')::bigint[])
   AND s.id = w.session AND NOT s.dead
RETURNING w.nonce, w.token, w.bell, s.beat
