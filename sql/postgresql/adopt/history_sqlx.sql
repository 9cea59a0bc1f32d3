-- history_sqlx: a row for each file, with the SHA-384 of its bytes.
SELECT version, NULL AS code, description AS name, CASE WHEN success THEN 1 ELSE 0 END AS kind,
  encode(checksum, 'hex') AS checksum
FROM _sqlx_migrations
ORDER BY version
