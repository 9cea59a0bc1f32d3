/*+ SeqScan(a) */
;
-- a hint at the head of a statement is for pg_hint_plan: it stays
/*+ IndexScan(pg_class) */ -- and so on
SELECT count(*) > 0 FROM pg_class;
/*+ Leading(a b) */
