-- flight_publish: this is the result of a key, if that grant still holds its lock, and its session is not
-- over: what a holder made who was stopped meanwhile is old. An older grant never replaces a newer one's.
-- $1 name  $2 token  $3 nonce  $4 us that it took  $5 us for which it is of use  $6 is it coded?  $7 value
INSERT INTO dblock_flight (name, token, made, took, expires, coded, value)
SELECT g.name, g.token, $wall, $4, $wall + $5, $6, $7
  FROM (SELECT name, token, session FROM dblock_lock WHERE name = $1 AND token = $2 AND nonce = $3
        UNION ALL
        SELECT name, token, session FROM dblock_queue WHERE name = $1 AND token = $2 AND nonce = $3) g
  JOIN dblock_session s ON s.id = g.session AND NOT s.dead
 WHERE s.expires > $boot AND s.clock = $clock
ON CONFLICT (name) DO UPDATE
   SET token = excluded.token, made = excluded.made, took = excluded.took, expires = excluded.expires,
       coded = excluded.coded, value = excluded.value
 WHERE dblock_flight.token < excluded.token
