-- optimistic_newest: the version of a row that an update did not find at the version expected.
SELECT :version
  FROM :table
 WHERE :key
