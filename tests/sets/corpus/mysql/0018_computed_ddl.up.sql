-- Adds a column unless it is there, as long as MySQL has no word for it.
SET @column = (SELECT COUNT(*) FROM information_schema.COLUMNS
  WHERE table_schema = DATABASE() AND table_name = 'crlf' AND column_name = 'added');
SET @ddl = IF(@column > 0, 'SELECT 1', 'ALTER TABLE crlf ADD COLUMN added VARCHAR(9) DEFAULT '';''');
PREPARE statement FROM @ddl;
EXECUTE statement;
DEALLOCATE PREPARE statement;
