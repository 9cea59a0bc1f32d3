CREATE TABLE account (id serial PRIMARY KEY, balance numeric(12, 2) NOT NULL DEFAULT 0, changed int DEFAULT 0);
CREATE TABLE account_log (id int, was numeric, "is" numeric);

CREATE OR REPLACE FUNCTION log_account() RETURNS trigger AS $$
DECLARE
  n int := 0;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO account_log VALUES (OLD.id, OLD.balance, NEW.balance);
    NEW.changed := OLD.changed + 1;
  ELSIF NEW.balance < 0 THEN
    RAISE EXCEPTION 'below zero; account %', NEW.id USING HINT = 'pay; first';
  END IF;
  FOR n IN 1..3 LOOP
    CASE n WHEN 1 THEN NULL; ELSE CONTINUE; END CASE;
  END LOOP;
  RETURN NEW;
EXCEPTION
  WHEN division_by_zero THEN RETURN NULL;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER account_changes BEFORE INSERT OR UPDATE OF balance ON account
  FOR EACH ROW EXECUTE FUNCTION log_account();
INSERT INTO account (balance) VALUES (10), (20);
UPDATE account SET balance = balance + 1;
