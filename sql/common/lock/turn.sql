-- turn: raise the token of a grant, so that its client has some between to give to its own threads, one
-- after the other, without a word; or say which thread has it. Nothing is changed if that grant does
-- not hold the lock, or others wait for it and are not to be passed by; sent twice it does it once.
-- $1 name  $2 nonce  $3 token, as it is  $4 token that it shall have: not beyond a second from now
-- $5 thread; 0: it may be another at any time; -1: perhaps none, its client keeps it
-- $6 not 0: only where nobody waits in line
UPDATE dblock_lock
   SET token = $4, thread = $5,
       acquired = $wall
 WHERE name = $1 AND nonce = $2 AND token IN ($3, $4)
   AND session IS NOT NULL AND (NOT queued OR $6 = 0)
   AND ($4 <= $3 OR $4 <= $wall + 1000000)
