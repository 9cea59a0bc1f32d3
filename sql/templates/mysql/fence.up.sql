-- Every row that is written to {table} needs a fence: the transaction has to have called dblock_fence()
-- with a grant of the lock that is named in the triggers below, and that grant has to be the newest
-- one still. So even a program that forgot is stopped, and so is one that lost the lock. (Not so with
-- TRUNCATE, and with rows that a foreign key deletes or changes: these run no triggers here.)
--
-- dblock_fence() leaves what it fenced in the session's variable @dblock_fence, which outlives the
-- transaction. So it is not believed: the row that carries the grant is read again each time, with a
-- lock on it that makes a takeover wait until this transaction has ended. Where dblock_fence() had to
-- change the row (on Galera, in XA transactions), so does each write.
DELIMITER //

-- It runs with the rights of the account that makes it: that one needs SELECT and UPDATE on
-- {lock_table} and {queue_table}; those who write need nothing there.
CREATE PROCEDURE {procedure}(lock_name VARBINARY(255))
	MODIFIES SQL DATA
	SQL SECURITY DEFINER
BEGIN
	-- Bytes, whatever the session's character set: a line for each grant that was fenced, with tabs
	-- between name, token, nonce, and 0 or its ticket in {queue_table}.
	DECLARE fences    LONGBLOB DEFAULT CONCAT(CHAR(10), CONVERT(@dblock_fence USING utf8mb4));
	DECLARE before_it VARBINARY(257) DEFAULT CONCAT(CHAR(10), lock_name, CHAR(9));
	DECLARE entry     VARBINARY(64) DEFAULT NULL;
	DECLARE its_row   VARBINARY(64) DEFAULT NULL;
	DECLARE now_token, now_nonce BIGINT DEFAULT NULL;
	DECLARE message   VARCHAR(1024) CHARACTER SET utf8mb4; -- the server admits 128 characters

	IF LOCATE(before_it, fences) > 0 THEN
		-- The last one of that name.
		SET entry = SUBSTRING_INDEX(SUBSTRING_INDEX(fences, before_it, -1), CHAR(10), 1);
		SET its_row = SUBSTRING_INDEX(entry, CHAR(9), -1);
	END IF;
	IF LOCATE(CONCAT(CHAR(10), CHAR(9), 'writes', CHAR(10)), fences) > 0 THEN
		UPDATE {lock_table} l SET l.fenced = l.fenced + 1
		 WHERE l.name = lock_name AND CONCAT_WS(CHAR(9), l.token, l.nonce, '0') = entry;
		UPDATE {queue_table} q SET q.fenced = q.fenced + 1
		 WHERE q.name = lock_name AND q.ticket = CAST(NULLIF(its_row, '0') AS SIGNED)
		   AND q.token IS NOT NULL AND CONCAT_WS(CHAR(9), q.token, q.nonce, q.ticket) = entry;
	END IF;
	IF its_row = '0' THEN
		SELECT l.token, l.nonce INTO now_token, now_nonce
		  FROM {lock_table} l WHERE l.name = lock_name LOCK IN SHARE MODE;
	ELSEIF its_row IS NOT NULL THEN
		SELECT q.token, q.nonce INTO now_token, now_nonce
		  FROM {queue_table} q
		 WHERE q.name = lock_name AND q.ticket = CAST(its_row AS SIGNED) LOCK IN SHARE MODE;
	END IF;
	IF entry IS NULL THEN
		SET message = CONCAT('dblock: no fence, so no write to ', LEFT({table_text}, 30),
		                     ': call dblock_fence() first; lock: ',
		                     CONVERT(lock_name USING utf8mb4));
	ELSEIF CONCAT(now_token, CHAR(9), now_nonce, CHAR(9), its_row) = entry AND now_nonce <> 0 THEN
		SET message = NULL;
	ELSE
		SET message = CONCAT('dblock: stale fence, no write to ', LEFT({table_text}, 30),
		                     ': roll back, acquire again; lock: ',
		                     CONVERT(lock_name USING utf8mb4));
	END IF;
	IF message IS NOT NULL THEN
		SET message = LEFT(message, 128);
		SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
	END IF;
END//

DELIMITER ;

-- To have a lock for each row: CONCAT('account/', NEW.id) instead of the name, OLD.id in the last.
CREATE TRIGGER {insert_trigger} BEFORE INSERT ON {table} FOR EACH ROW CALL {procedure}({lock});
CREATE TRIGGER {update_trigger} BEFORE UPDATE ON {table} FOR EACH ROW CALL {procedure}({lock});
CREATE TRIGGER {delete_trigger} BEFORE DELETE ON {table} FOR EACH ROW CALL {procedure}({lock});
