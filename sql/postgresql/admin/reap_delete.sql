-- reap_delete: delete dead sessions that no row named a moment ago.
-- $1 their ids, with commas between them
DELETE FROM dblock_session WHERE id = ANY (string_to_array($1::text, ',')) AND dead
