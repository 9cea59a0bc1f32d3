-- optimistic_column: what a column can hold: its type; 1: a time with a zone, 2: one without, in
-- microseconds, 0: neither; the largest integer, if the database would not refuse a larger one: unless
-- its sql_mode is strict, it writes the largest one instead.
-- $1 schema or "", $2 table, $3 column
SELECT CAST(COLUMN_TYPE AS CHAR),
       CASE WHEN COLUMN_TYPE = 'timestamp(6)' THEN 1
            WHEN COLUMN_TYPE = 'datetime(6)' THEN 2
            ELSE 0
       END,
       CASE WHEN DATA_TYPE = 'tinyint' THEN 127
            WHEN DATA_TYPE = 'smallint' THEN 32767
            WHEN DATA_TYPE = 'mediumint' THEN 8388607
            WHEN DATA_TYPE = 'int' THEN 2147483647
       END * CASE WHEN COLUMN_TYPE LIKE '%unsigned%' THEN 2 ELSE 1 END
           + CASE WHEN COLUMN_TYPE LIKE '%unsigned%' THEN 1 ELSE 0 END
  FROM information_schema.COLUMNS
 WHERE TABLE_SCHEMA = COALESCE(NULLIF($1, ''), DATABASE())
   AND TABLE_NAME = $2
   AND COLUMN_NAME = $3
