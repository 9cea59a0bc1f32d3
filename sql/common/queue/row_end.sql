-- row_end: end a row's grant that was seen unchanged for its whole length, or that is broken.
-- $1 name  $2 token  $3 expires as seen, or NULL
DELETE FROM dblock_queue
 WHERE name = $1 AND token = $2 AND (expires = $3 OR (expires IS NULL AND $3 IS NULL))
