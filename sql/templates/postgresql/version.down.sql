-- The programs that read it have to be gone. No row is rewritten.
ALTER TABLE {table} DROP COLUMN {column};
