-- optimistic_read: read a row, its version first. The words are replaced by the caller's names.
SELECT :version:columns
  FROM :table
 WHERE :key
