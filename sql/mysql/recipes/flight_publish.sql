-- flight_publish: store the result of a key, if that grant still holds its lock and its session is not
-- over: the result of a holder that was stopped meanwhile is old. An older grant never replaces a newer
-- one's result.
-- $1 name  $2 token  $3 nonce  $4 us that it took  $5 us for which it is fresh  $6 is it coded?  $7 value

-- (Assignments run from left to right and see new values: the token goes last.)
INSERT INTO dblock_flight (name, token, made, took, expires, coded, value)
SELECT l.name, l.token, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), $4, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $5, $6, $7
  FROM dblock_lock l
  JOIN dblock_session s ON s.id = l.session AND NOT s.dead
 WHERE l.name = $1 AND l.token = $2 AND l.nonce = $3
   AND s.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
ON DUPLICATE KEY UPDATE
  made = IF(dblock_flight.token < $2, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), dblock_flight.made),
  took = IF(dblock_flight.token < $2, $4, dblock_flight.took),
  expires = IF(dblock_flight.token < $2, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + $5, dblock_flight.expires),
  coded = IF(dblock_flight.token < $2, $6, dblock_flight.coded),
  value = IF(dblock_flight.token < $2, $7, dblock_flight.value),
  token = GREATEST(dblock_flight.token, $2)
