-- schema_reopen: nothing, as there is no schema_close.
SELECT 1
