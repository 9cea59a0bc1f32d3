CREATE TABLE account (id INTEGER PRIMARY KEY AUTOINCREMENT, balance NUMERIC NOT NULL DEFAULT 0, changed INT DEFAULT 0);
CREATE TABLE account_log (id INT, was NUMERIC, "end" NUMERIC);

CREATE TRIGGER account_changes AFTER UPDATE OF balance ON account
FOR EACH ROW WHEN OLD.balance <> NEW.balance
BEGIN
  INSERT INTO account_log VALUES (OLD.id, OLD.balance, CASE WHEN NEW.balance > 0 THEN NEW.balance ELSE 0 END);
  -- END; is not here
  UPDATE account SET changed = changed + 1 WHERE id = OLD.id; /* END; */
  SELECT 'END;' AS "END;";
END;

CREATE TEMP TRIGGER IF NOT EXISTS only_here BEFORE DELETE ON account BEGIN
  SELECT RAISE(ABORT, 'no; never') WHERE OLD.id < 0;
END;

create trigger account_new insert on account begin
  update account set balance = case new.balance when 1 then case when 1 then 10 end else new.balance end
    where id = new.id; end;
INSERT INTO account (balance) VALUES (1), (5);
UPDATE account SET balance = balance + 1;
