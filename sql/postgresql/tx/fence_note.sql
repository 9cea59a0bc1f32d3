-- fence_note: in the caller's transaction, and until its end: what triggers find of its fences. Each is
-- a line: name, token, nonce, and the ticket of the row that carries it or 0, parted by tabs.
-- $1 all lines
SELECT pg_catalog.set_config('dblock.fence', $1::text, true)
