CREATE TABLE shown (id int, a text);
CREATE TABLE hidden (id int, a text);
CREATE RULE shown_insert AS ON INSERT TO shown DO ALSO (
  INSERT INTO hidden VALUES (NEW.id, 'a;b');
  INSERT INTO hidden VALUES (NEW.id + 1, (SELECT ')' || ';'))
);
CREATE OR REPLACE RULE shown_delete AS ON DELETE TO shown DO INSTEAD (SELECT 1; SELECT 2; );
CREATE RULE shown_update AS ON UPDATE TO shown WHERE NEW.id > 5 DO INSTEAD NOTHING;
INSERT INTO shown VALUES (1, 'x');
