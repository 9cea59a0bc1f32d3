-- reap_delete: delete sessions that are dead, and that nothing named a moment ago.
-- $1 their ids, with commas between them
DELETE FROM dblock_session WHERE id = ANY (string_to_array($1::text, ',')) AND dead
