-- announce: the line has changed. Who hands the lock over goes by the version that it has read, and
-- reads anew if there is another; and from here on a release looks for who is first.
-- $1 name  $2 what to add to the version: 65536 if somebody joined, else 1 (see hand_over)
-- Nobody waits until it is on the disk: a crash that forgets it ends all connections, and those who wait
-- look anew, as does who has left (src/lock/watch/reconcile.c).
UPDATE dblock_lock
   SET queued = CASE WHEN set_config('synchronous_commit', 'off', true) = 'off' THEN true END,
       queue_version = queue_version + $2::bigint
 WHERE name = $1::text
