ALTER TABLE account ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON account FOR UPDATE TO PUBLIC USING (balance > 0) WITH CHECK (balance <> 13 OR ';' = ';');
REVOKE ALL ON account FROM PUBLIC;
GRANT SELECT (id), INSERT ON account TO PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC;
COMMENT ON TABLE account IS $$what "somebody" has;
on two lines$$;
COMMENT ON COLUMN account.balance IS 'in cents; or so';
CREATE SCHEMA extra CREATE TABLE inner_one (id int) CREATE VIEW v AS SELECT id FROM inner_one;
