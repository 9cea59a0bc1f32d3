DROP FUNCTION old_style(int);
DROP TABLE a$b$c;
DROP TABLE made;
DROP FUNCTION nested(), "größe"(int), tagged(), plain();
