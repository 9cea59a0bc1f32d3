-- migrate:up transaction:false
CREATE TABLE a (id int);
-- migrate:down
DROP TABLE a;
