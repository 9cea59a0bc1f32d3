-- schema_closed: has schema_close been, and no schema_reopen yet?
SELECT COUNT(*) FROM dblock_floor WHERE id = 1 AND token = 9223372036854775807
