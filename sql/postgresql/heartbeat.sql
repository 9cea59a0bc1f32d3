-- heartbeat: the session lives on for a ttl; a row with the database's time, or none if it is dead.
-- $1 id  $2 beat, larger than any before: a copy that comes late must not bring back a beat that
-- somebody watches

UPDATE dblock_session s SET beat = $2::bigint, expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + s.ttl
 WHERE s.id = $1::text AND NOT s.dead AND s.beat <= $2::bigint
RETURNING s.expires - s.ttl AS now
