-- this index is large
-- no-transaction
CREATE INDEX CONCURRENTLY a_id ON a (id);
