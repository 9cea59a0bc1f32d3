-- optimistic_update: change a row whose version is as it was read.
UPDATE :table
   SET :set
 WHERE :key
   AND :version = :old
RETURNING :version
