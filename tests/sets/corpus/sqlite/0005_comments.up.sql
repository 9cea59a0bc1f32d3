/* one /* not nested; ' */
CREATE TABLE commented ( -- ; here
  id INT, /* and ; here */
  b TEXT DEFAULT '/* no comment; */', -- it's
  c TEXT DEFAULT '-- nor this;'
) /* behind */ ; -- behind; it
--
/***/ -- /* not opened
/*
 * a box;
 */
INSERT INTO commented (id) VALUES (1/2);
