-- fence_update: as fence_share, if the same transaction may release the lock: two that share the row
-- would wait for each other then.
-- $1 name  $2 token  $3 nonce  $4 as fence_share, where the rest is explained
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
