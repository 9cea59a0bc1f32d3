-- optimistic_delete: delete a row whose version is as it was read.
DELETE FROM :table
 WHERE :key
   AND :version = :old
