-- schema_hold: nothing, as a transaction that writes has the whole file.
SELECT 1
