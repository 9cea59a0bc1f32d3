-- schema_hold: nothing; who is in a transaction that writes has the whole file.
SELECT 1
