-- optimistic_update: change a row whose version is as it was read. That always changes the row, so
-- how many were changed and how many were matched is the same number. The answer is for times only,
-- whose new value is the database's.
UPDATE :table
   SET :set
 WHERE :key
   AND :version = :old
-- answer
-- optimistic_update: the answer.
SELECT CAST(LAST_INSERT_ID() AS SIGNED)
