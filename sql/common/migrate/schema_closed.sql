-- schema_closed: no row, as there is no schema_close.
SELECT 0
