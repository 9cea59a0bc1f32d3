-- token_in: the token of a lock as the caller's transaction sees it: with what it has done itself.
-- $1 name
SELECT l.token FROM dblock_lock l WHERE l.name = $1::text
