-- Run twice, this would be seen: nothing keeps a second one out.
INSERT INTO app_customer (name) VALUES ('Ada; the first');
