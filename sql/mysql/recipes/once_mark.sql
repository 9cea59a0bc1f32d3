-- once_mark: mark a slot of a job as done, if that grant is still the newest of the lock and has not been
-- given back. It locks the row of the lock, so that no takeover comes between; in a transaction of yours,
-- until its end: then the mark exists if, and only if, the work is committed. (Where somebody waits with a
-- priority a row of the queue carries the grant.) 1 row changed: marked.
-- None: it was marked before (once_find says by which token), or that grant is over.
-- $1 name  $2 slot  $3 token  $4 nonce, or NULL for whoever knows the token

-- (IGNORE: a slot that is marked stays as it is.)
INSERT IGNORE INTO dblock_once (name, slot, token, host, pid, marked)
SELECT l.name, $2, l.token, l.host, l.pid, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
  FROM dblock_lock l
 WHERE l.name = $1 AND l.token = $3
   AND ((l.nonce <> 0 AND ($4 IS NULL OR l.nonce = $4))
        OR EXISTS (SELECT 1 FROM dblock_queue q
                    WHERE q.name = $1 AND q.token = $3 AND q.mode = 0 AND q.nonce <> 0
                      AND ($4 IS NULL OR q.nonce = $4)))
   FOR UPDATE
