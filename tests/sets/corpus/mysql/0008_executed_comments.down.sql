DROP VIEW executed_view;
DROP TABLE executed;
