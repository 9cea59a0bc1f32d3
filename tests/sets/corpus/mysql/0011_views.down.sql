DROP VIEW counted, dear;
