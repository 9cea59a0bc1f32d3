-- Every write to {table} needs a fence: the transaction has to have called dblock_fence() with a grant
-- of the lock that is named in the last line, and that grant has to be the newest one still. So even
-- a program that forgot is stopped, and so is one that lost the lock.
--
-- dblock_fence() leaves what it fenced in the setting dblock.fence, which ends with the transaction.
-- That alone is not believed: the row that carries the grant is read again, with a lock on it that
-- makes a takeover wait until this transaction has ended. It is one row, by its primary key, for each
-- statement. Who writes needs SELECT and UPDATE on {lock_table} and {queue_table}.
CREATE FUNCTION {function}() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $dblock$
DECLARE
	-- To have a lock for each row: FOR EACH ROW in the trigger, without TRUNCATE, and here
	-- 'account/' || NEW.id, or OLD.id if TG_OP is 'DELETE'.
	lock_name text := TG_ARGV[0];
	entry     text[]; -- name, token, nonce, and 0 or its ticket in {queue_table}
	now_token bigint;
	now_nonce bigint;
BEGIN
	SELECT string_to_array(e.line, E'\t') INTO entry
	  FROM unnest(string_to_array(current_setting('dblock.fence', true), E'\n'))
	       WITH ORDINALITY AS e (line, number)
	 WHERE split_part(e.line, E'\t', 1) = lock_name COLLATE "C"
	 ORDER BY e.number DESC
	 LIMIT 1;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'dblock: %.% is written by fenced transactions only: call dblock_fence() with the lock "%" first',
			TG_TABLE_SCHEMA, TG_TABLE_NAME, lock_name
			USING ERRCODE = 'LF001', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
	END IF;
	-- FOR SHARE: a weaker lock would let the row be taken over.
	IF entry[4] = '0' THEN
		SELECT l.token, l.nonce INTO now_token, now_nonce
		  FROM {lock_table} l WHERE l.name = lock_name FOR SHARE;
	ELSE
		SELECT q.token, q.nonce INTO now_token, now_nonce
		  FROM {queue_table} q WHERE q.name = lock_name AND q.ticket = entry[4]::bigint FOR SHARE;
	END IF;
	IF entry[2:3] = ARRAY[now_token::text, now_nonce::text] AND now_nonce <> 0 THEN
		IF TG_OP = 'DELETE' THEN
			RETURN OLD;
		END IF;
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'dblock: %.% is not written: the fence of the lock "%" is stale, token % is over; roll back and acquire it again',
		TG_TABLE_SCHEMA, TG_TABLE_NAME, lock_name, entry[2]
		USING ERRCODE = 'LF002', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
END
$dblock$;

CREATE TRIGGER dblock_fence
	BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
	FOR EACH STATEMENT EXECUTE FUNCTION {function}({lock});
