DROP PROCEDURE IF EXISTS add_key;
DELIMITER $$
CREATE PROCEDURE add_key()
proc: BEGIN
  IF EXISTS (SELECT * FROM information_schema.STATISTICS
      WHERE table_schema = DATABASE() AND table_name = 'crlf' AND index_name = 'of_id') THEN
    LEAVE proc;
  END IF;
  ALTER TABLE crlf ADD INDEX of_id (id);
END$$
DELIMITER ;
CALL add_key();
DROP PROCEDURE add_key;
