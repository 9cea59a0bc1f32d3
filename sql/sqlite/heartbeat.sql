-- heartbeat: the session lives on for a ttl; a row with the database's time, or none if it is dead.
-- $1 id  $2 beat, larger than any before: a copy that comes late must not bring back a beat that
-- somebody watches

UPDATE dblock_session SET beat = $2, expires = $boot + ttl, clock = $clock
 WHERE id = $1 AND NOT dead AND beat <= $2
RETURNING expires - ttl AS now
