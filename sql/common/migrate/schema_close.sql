-- schema_close: nothing, as what follows is in the same transaction.
SELECT 1
