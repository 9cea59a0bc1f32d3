-- rows_shape: the columns of a table, and those of its unique indexes: InnoDB locks the rows that it
-- reads, so a row has to be found by such an index. A row per column: 0, its name, type, character set
-- and collation, the table's engine (null: a view), the server's version, its number, and whether meeting
-- a locked row ends the whole transaction; then a row per column of an index: 1, its name (null: an
-- expression), the index's name, null, null, null, the server's version, its number; and whether all of
-- it is in the index, and it is never null. A long UNIQUE of MariaDB's, which is a hash, cannot be used
-- to find a row.
-- $1 schema or null, $2 table
SELECT 0 AS kind, c.COLUMN_NAME, LOWER(c.DATA_TYPE) AS type, c.CHARACTER_SET_NAME, c.COLLATION_NAME,
       (SELECT t.ENGINE FROM information_schema.TABLES AS t
         WHERE t.TABLE_SCHEMA = COALESCE($1, DATABASE()) AND t.TABLE_NAME = $2),
       VERSION(), c.ORDINAL_POSITION AS place, @@GLOBAL.innodb_rollback_on_timeout
  FROM information_schema.COLUMNS AS c
 WHERE c.TABLE_SCHEMA = COALESCE($1, DATABASE()) AND c.TABLE_NAME = $2
UNION ALL
SELECT 1, s.COLUMN_NAME, s.INDEX_NAME, NULL, NULL, NULL, VERSION(), s.SEQ_IN_INDEX,
       s.SUB_PART IS NULL AND s.NULLABLE = '' AND s.COLUMN_NAME IS NOT NULL
  FROM information_schema.STATISTICS AS s
 WHERE s.TABLE_SCHEMA = COALESCE($1, DATABASE()) AND s.TABLE_NAME = $2
   AND s.NON_UNIQUE = 0 AND s.INDEX_TYPE = 'BTREE'
 ORDER BY kind, type, place
