-- optimistic_read: a row, its version first. The words stand for what the caller names.
SELECT :version:columns
  FROM :table
 WHERE :key
