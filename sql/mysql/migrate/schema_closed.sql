-- schema_closed: a row after schema_close, until schema_reopen.
SELECT COUNT(*) FROM dblock_floor WHERE id = 1 AND token = 9223372036854775807
