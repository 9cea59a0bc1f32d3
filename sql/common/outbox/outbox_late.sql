-- outbox_late: is the oldest message of that shard older than it may be? 1: so nobody delivers them. Those of a key that
-- is parked are in the way of that key only.
-- $1 topic  $2 key  $3 shard  $4 the oldest that a message may be, us
SELECT CASE WHEN EXISTS (SELECT 1 FROM dblock_outbox o
                          WHERE o.topic = $1 AND o.shard = $3 AND o.put_at < $wall - $4
                            AND (o.msg_key = $2
                                 OR NOT EXISTS (SELECT 1 FROM dblock_outbox_failure f
                                                 WHERE f.topic = o.topic AND f.msg_key = o.msg_key
                                                   AND f.due IS NULL)))
            THEN 1 ELSE 0 END
