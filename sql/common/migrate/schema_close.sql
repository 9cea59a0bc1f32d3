-- schema_close: nothing; what follows is of the same transaction.
SELECT 1
