-- The programs that read it have to be gone. The rows are rewritten. Needs SQLite 3.35.
ALTER TABLE {table} DROP COLUMN {column};
