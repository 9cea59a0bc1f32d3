-- history_diesel: a row for each folder: the digits of its date and time, as a text. The one of zeros is
-- that of `diesel setup`, on PostgreSQL.
SELECT NULL AS version, version AS code,
  CASE WHEN version = '00000000000000' THEN 'diesel_initial_setup' END AS name,
  CASE WHEN version = '00000000000000' THEN 3 ELSE 1 END AS kind, NULL AS checksum
FROM __diesel_schema_migrations
ORDER BY version
