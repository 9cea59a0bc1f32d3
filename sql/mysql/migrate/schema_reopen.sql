-- schema_reopen: set the floor to what it was before schema_close; if that is lost, to the time, as a new
-- name's token.
UPDATE dblock_floor f LEFT JOIN dblock_lock l ON l.name = CHAR(1)
   SET f.token = COALESCE(l.token, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
 WHERE f.id = 1 AND f.token = 9223372036854775807
-- step
DELETE FROM dblock_lock WHERE name = CHAR(1)
