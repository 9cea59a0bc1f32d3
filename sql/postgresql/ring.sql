-- ring: say something to the client that listens on a channel.
-- $1 channel  $2 what
SELECT 0 AS number FROM pg_notify('dblock_' || $1::text, $2::text) AS said
