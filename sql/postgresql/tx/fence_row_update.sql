-- fence_row_update: as fence_row_share, if the same transaction may release the grant.
-- $1 name  $2 token  $3 nonce  $4 as fence_share  $5 ticket
WITH locked AS (
     SELECT q.name, q.token, q.nonce FROM dblock_queue q
      WHERE q.name = $1::text AND q.ticket = $5::bigint AND q.token IS NOT NULL
        AND ($4::text IS NULL
             OR (SELECT o.token = $2::bigint AND o.nonce = $3::bigint
                   FROM dblock_queue o WHERE o.name = $1::text AND o.ticket = $5::bigint))
        FOR UPDATE SKIP LOCKED)
SELECT l.token, l.nonce FROM locked l
 WHERE CASE WHEN $4::text IS NULL THEN true
            WHEN l.token = $2::bigint AND l.nonce = $3::bigint
            THEN pg_catalog.set_config('dblock.fence', $4::text, true) IS NOT NULL
            ELSE ('dblock: ' || l.name || ' has been taken over')::boolean END
