-- ring: tell the client that listens on a channel something. NOTIFY needs a commit, but a hint need not
-- wait for the disk.
-- $1 channel  $2 what
SELECT 0 AS number
  FROM set_config('synchronous_commit', 'off', true) AS setting,
       pg_notify('dblock_' || $1::text, $2::text) AS said
