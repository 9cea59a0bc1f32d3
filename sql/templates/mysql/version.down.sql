-- The programs that read it have to be gone. Before MySQL 8.0.29 and MariaDB 10.4 the table is copied.
ALTER TABLE {table} DROP COLUMN {column};
