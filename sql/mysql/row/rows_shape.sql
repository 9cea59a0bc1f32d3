-- rows_shape: the columns of a table, and those of its unique indexes: InnoDB locks what it looks at, so
-- a row has to be found by one. A row per column: 0, its name, type, character set and collation, the
-- table's engine (null: a view), the server's version, its place, and whether a row that is locked ends
-- the whole transaction; then a row per column of an index: 1, its name (null: an expression), the index's,
-- null, null, null, the server's version, its place; and whether it takes part as a whole and is never
-- null. A long UNIQUE of MariaDB's, a hash, finds nothing.
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
