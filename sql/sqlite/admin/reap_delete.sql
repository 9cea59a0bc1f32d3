-- reap_delete: delete dead sessions that no row named a moment ago.
-- $1 their ids, with commas between them
WITH RECURSIVE ids (id, others) AS (
	SELECT substr($1, 1, 32), substr($1, 34)
	UNION ALL
	SELECT substr(others, 1, 32), substr(others, 34) FROM ids WHERE others <> '')
DELETE FROM dblock_session WHERE id IN (SELECT i.id FROM ids i) AND dead
