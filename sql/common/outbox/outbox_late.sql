-- outbox_late: is the oldest message of that shard older than it may be? 1: so nobody delivers them.
-- $1 topic  $2 shard  $3 the oldest that a message may be, us
SELECT CASE WHEN EXISTS (SELECT 1 FROM dblock_outbox o
                          WHERE o.topic = $1 AND o.shard = $2 AND o.put_at < $wall - $3)
            THEN 1 ELSE 0 END
