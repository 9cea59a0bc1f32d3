/* one /* nested; */ still ' one; */
CREATE TABLE commented ( -- ; here
  id int, /* and ; here */
  /*/**/*/
  b text DEFAULT '/* no comment; */', -- it's
  c text DEFAULT '-- nor this;'
) /* behind */ ; -- behind; it
--
/***/ -- /* not opened
/*
 * a box;
 */
INSERT INTO commented (id) SELECT 5 --3;
  - 1;
INSERT INTO commented (id) VALUES (7 - -3), (1/2);
