-- one; '
/* two /* not nested; */ CREATE TABLE a (id INTEGER) -- ;
  ; /* behind */
/*/ ; */ INSERT INTO a VALUES (5--3;
); /**/ INSERT INTO a VALUES (4/*;*/) --x;
