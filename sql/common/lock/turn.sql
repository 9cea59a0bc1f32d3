-- turn: raise the token of a grant, so that its client has tokens for its own threads, one after the
-- other, without a request for each; or note which thread has it. Nothing is changed if that grant does
-- not hold the lock, or if others wait for it who must not be passed over; sent twice it does it once.
-- $1 name  $2 nonce  $3 token, as it is  $4 new token, at most a second beyond the clock
-- $5 thread; 0: it may change at any time; -1: perhaps none, while the client keeps it idle
-- $6 not 0: only if nobody is in the queue
UPDATE dblock_lock
   SET token = $4, thread = $5,
       acquired = $wall
 WHERE name = $1 AND nonce = $2 AND token IN ($3, $4)
   AND session IS NOT NULL AND (NOT queued OR $6 = 0)
   AND ($4 <= $3 OR $4 <= $wall + 1000000)
