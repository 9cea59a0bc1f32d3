-- schema_closed: never; see schema_close.
SELECT 0
