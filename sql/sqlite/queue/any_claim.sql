-- any_claim: the first of the places, by name, of a wait for any one of several names. (Who grants has the
-- file alone; elsewhere he locks this one.)
-- $1 session  $2 thread  $3 nonce
SELECT q.token
  FROM dblock_queue q
 WHERE q.session = $1 AND q.thread = $2 AND q.nonce = $3
   AND q.name = (SELECT min(m.name)
                   FROM dblock_queue m
                  WHERE m.session = $1 AND m.thread = $2 AND m.nonce = $3)
