-- fence_update: as fence_share, if the same transaction may release the lock: two that share the row
-- would wait for each other then.
-- $1 name  $2 token  $3 nonce  $4 as fence_share
-- Without $4 the row is read whoever holds it, and compared by who asks: so under REPEATABLE READ a row that
-- has changed since is an error, and does not look like one that does not exist. A row that is locked
-- just now is skipped.
-- With $4 it is locked only if it was this grant's when the statement began, as nothing takes the lock
-- off again while the transaction lasts; if it was taken over while it was being locked, the error has
-- it undone. The row is locked before the setting is made: so in a WITH.
WITH locked AS (
     SELECT l.name, l.token, l.nonce FROM dblock_lock l
      WHERE l.name = $1::text
        AND ($4::text IS NULL
             OR (SELECT o.token = $2::bigint AND o.nonce = $3::bigint
                   FROM dblock_lock o WHERE o.name = $1::text))
        FOR UPDATE SKIP LOCKED)
SELECT l.token, l.nonce FROM locked l
 WHERE CASE WHEN $4::text IS NULL THEN true
            WHEN l.token = $2::bigint AND l.nonce = $3::bigint
            THEN pg_catalog.set_config('dblock.fence', $4::text, true) IS NOT NULL
            ELSE ('dblock: ' || l.name || ' has been taken over')::boolean END
