-- optimistic_update: change a row whose version is the one that was read.
UPDATE :table
   SET :set
 WHERE :key
   AND :version = :old
RETURNING :version
