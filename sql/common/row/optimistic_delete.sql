-- optimistic_delete: delete a row whose version is the one that was read.
DELETE FROM :table
 WHERE :key
   AND :version = :old
