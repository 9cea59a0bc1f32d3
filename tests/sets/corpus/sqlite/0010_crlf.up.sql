CREATE TABLE crlf (id INT); -- one line

INSERT INTO crlf VALUES (1);
/* two
lines; */
CREATE INDEX crlf_id ON crlf (id);
