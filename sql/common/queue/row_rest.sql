-- row_rest: release a row's grant before its minimum hold is over: the lock stays taken until then.
-- $1 name  $2 token  $3 nonce, or NULL for whoever knows the token
UPDATE dblock_queue
   SET nonce = 0, value = NULL, lease = keep_until - $boot, expires = keep_until
 WHERE name = $1 AND token = $2 AND nonce <> 0 AND (nonce = $3 OR $3 IS NULL)
   AND (expires IS NULL OR expires > $boot) AND clock = $clock AND keep_until > $boot
