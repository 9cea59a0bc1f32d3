-- fence_note: in the caller's transaction, and until its end, leave its fences for triggers to read: for
-- each a line with name, token, nonce, and the ticket of the row with the grant or 0, separated by tabs.
-- $1 all lines
SELECT pg_catalog.set_config('dblock.fence', $1::text, true)
