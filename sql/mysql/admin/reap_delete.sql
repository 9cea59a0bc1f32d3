-- reap_delete: delete dead sessions that no row named a moment ago.
-- $1 their ids, with commas between them
DELETE s
  FROM JSON_TABLE(CONCAT('["', REPLACE($1, ',', '","'), '"]'), '$[*]' COLUMNS (
         id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$')) w
  JOIN dblock_session s ON s.id = w.id
 WHERE s.dead
