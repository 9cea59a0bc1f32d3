-- heartbeat: the session lives on for a ttl; a row with the database's time, or none if it is dead.
-- $1 id  $2 beat, a fresh random number

UPDATE dblock_session SET beat = $2, expires = $boot + ttl, clock = $clock
 WHERE id = $1 AND NOT dead
RETURNING expires - ttl AS now
