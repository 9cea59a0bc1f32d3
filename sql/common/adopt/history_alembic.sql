-- history_alembic: the revisions that the database is at, as Alembic calls them; they have no order.
SELECT NULL AS version, version_num AS code, NULL AS name, 1 AS kind, NULL AS checksum
FROM alembic_version
ORDER BY version_num
