-- optimistic_column: what a column can hold: its type; 1: a time with a zone, 2: one without, in
-- microseconds, 0: neither; the largest integer, if the database would not refuse a larger one.
-- $1 schema or "", $2 table, $3 column
SELECT pg_catalog.format_type(a.atttypid, a.atttypmod),
       CASE pg_catalog.format_type(a.atttypid, a.atttypmod)
            WHEN 'timestamp with time zone' THEN 1
            WHEN 'timestamp(6) with time zone' THEN 1
            WHEN 'timestamp without time zone' THEN 2
            WHEN 'timestamp(6) without time zone' THEN 2
            ELSE 0
       END,
       NULL::bigint
  FROM pg_catalog.pg_attribute a
 WHERE a.attrelid = pg_catalog.to_regclass(CASE WHEN $1::text = '' THEN ''
                                                ELSE pg_catalog.quote_ident($1::text) || '.'
                                           END || pg_catalog.quote_ident($2::text))
   AND a.attname = $3::text
   AND NOT a.attisdropped
