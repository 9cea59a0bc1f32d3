-- schema_reopen: nothing; see schema_close.
SELECT 1
