-- turn: raise the token of a grant, so that its client has some between to give to its own threads, one
-- after the other, without a word; or say which thread has it. Nothing is changed if that grant does
-- not hold the lock, or others wait for it and are not to be passed by; sent twice it does it once.
-- $1 name  $2 nonce  $3 token, as it is  $4 token that it shall have: not beyond a second from now
-- $5 thread; 0: it may be another at any time; -1: perhaps none, its client keeps it
-- $6 not 0: only where nobody waits in line
UPDATE dblock_lock l
   SET token = $4::bigint, thread = $5::bigint,
       acquired = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
 WHERE l.name = $1::text AND l.nonce = $2::bigint AND l.token IN ($3::bigint, $4::bigint)
   AND l.session IS NOT NULL AND (NOT l.queued OR $6::int = 0)
   AND $4::bigint <= greatest($3::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + 1000000)
