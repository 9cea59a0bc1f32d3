CREATE VIEW rich AS
  WITH RECURSIVE up(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM up WHERE n < 5)
  SELECT a.id, a.balance, CASE WHEN a.balance > 10 THEN 'rich;' ELSE 'poor' END AS "end"
  FROM account a, up WHERE up.n = a.id;
CREATE MATERIALIZED VIEW sums AS SELECT count(*) AS n, sum(balance) AS total FROM account WITH NO DATA;
CREATE UNIQUE INDEX sums_n ON sums (n);
REFRESH MATERIALIZED VIEW sums;
CREATE OR REPLACE VIEW odd AS SELECT '; END; $$' AS a, E'\';' AS b;
