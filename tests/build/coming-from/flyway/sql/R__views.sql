DROP VIEW IF EXISTS all_first;
CREATE VIEW all_first AS SELECT * FROM first;
