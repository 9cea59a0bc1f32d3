-- token_in: the token of a lock as the caller's transaction sees it: with what it has done itself.
-- $1 name
SELECT token FROM dblock_lock WHERE name = $1
