-- outbox_late: is the oldest message of that shard older than it may be? 1: so nobody delivers them. Those of a key that
-- is parked are in the way of that key only.
-- $1 topic  $2 key  $3 shard  $4 the oldest that a message may be, us
-- No more than a few are looked at, however many wait.
SELECT CASE WHEN EXISTS (SELECT 1
                           FROM (SELECT put_at FROM dblock_outbox
                                  WHERE topic = $1 AND shard = $3 AND msg_key = $2
                                  ORDER BY number LIMIT 1) k
                          WHERE k.put_at < $wall - $4)
              OR EXISTS (SELECT 1
                           FROM (SELECT msg_key, put_at FROM dblock_outbox
                                  WHERE topic = $1 AND shard = $3 AND put_at < $wall - $4
                                  ORDER BY put_at LIMIT 100) o
                          WHERE NOT EXISTS (SELECT 1 FROM dblock_outbox_failure f
                                             WHERE f.topic = $1 AND f.msg_key = o.msg_key
                                               AND f.due IS NULL))
            THEN 1 ELSE 0 END
