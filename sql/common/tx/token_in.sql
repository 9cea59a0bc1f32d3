-- token_in: a lock's token as the caller's transaction sees it, with its own changes.
-- $1 name
SELECT token FROM dblock_lock WHERE name = $1
