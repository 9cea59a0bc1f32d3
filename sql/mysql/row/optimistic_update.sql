-- optimistic_update: change a row whose version is the one that was read. This always changes the row, so
-- as many rows are changed as are matched. Only a time has an answer, as its new value is the database's.
UPDATE :table
   SET :set
 WHERE :key
   AND :version = :old
-- answer
-- optimistic_update: the answer
SELECT CAST(LAST_INSERT_ID() AS SIGNED)
