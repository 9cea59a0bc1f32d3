CREATE TABLE crlf (
  id int, -- ; here
  a text DEFAULT 'one line'
);

INSERT INTO crlf VALUES (1);
/* two
lines; */
