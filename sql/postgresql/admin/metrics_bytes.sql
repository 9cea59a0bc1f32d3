-- metrics_bytes: how many bytes each of the tables has on the disk, with its indexes, whoever may read it.
-- $1 schema  $2 prefix of the tables
SELECT substr(c.relname::text, length($2::text) + 1) AS name,
       pg_total_relation_size(c.oid) AS n
  FROM pg_namespace n
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'
 WHERE n.nspname = $1::text
   AND c.relname = ANY (ARRAY[$2::text || 'session', $2::text || 'lock', $2::text || 'queue',
                              $2::text || 'floor', $2::text || 'request', $2::text || 'once',
                              $2::text || 'flight', $2::text || 'revocation',
                              $2::text || 'suspect', $2::text || 'history', $2::text || 'event',
                              $2::text || 'migration', $2::text || 'outbox',
                              $2::text || 'outbox_key', $2::text || 'outbox_failure',
                              $2::text || 'inbox'])
