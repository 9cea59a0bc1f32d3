-- flight_publish: store the result of a key, if that grant still holds its lock and its session is not
-- over: the result of a holder that was stopped meanwhile is old. An older grant never replaces a newer
-- one's result.
-- $1 name  $2 token  $3 nonce  $4 us that it took  $5 us for which it is fresh  $6 is it coded?  $7 value
INSERT INTO dblock_flight (name, token, made, took, expires, coded, value)
SELECT l.name, l.token, $wall, $4, $wall + $5, $6, $7
  FROM dblock_lock l
  JOIN dblock_session s ON s.id = l.session AND NOT s.dead
 WHERE l.name = $1 AND l.token = $2 AND l.nonce = $3
   AND s.expires > $boot AND s.clock = $clock
ON CONFLICT (name) DO UPDATE
   SET token = excluded.token, made = excluded.made, took = excluded.took, expires = excluded.expires,
       coded = excluded.coded, value = excluded.value
 WHERE dblock_flight.token < excluded.token
