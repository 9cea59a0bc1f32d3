-- heartbeat: the session lives on for a ttl; a row with the database's time, or none if it is dead.
-- $1 id  $2 beat, a fresh random number

UPDATE dblock_session s SET beat = $2::bigint, expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + s.ttl
 WHERE s.id = $1::text AND NOT s.dead
RETURNING s.expires - s.ttl AS now
