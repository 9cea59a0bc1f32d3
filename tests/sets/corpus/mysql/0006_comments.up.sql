/* one /* not nested; ' */
CREATE TABLE commented ( -- ; here
  id INT, # and ; here
  b VARCHAR(30) DEFAULT '/* no comment; */', -- it's
  c VARCHAR(30) DEFAULT '-- nor this;' # it's
) /* behind */ ; -- behind; it
--
/***/ -- /* not opened
#
/*
 * a box;
 */
INSERT INTO commented (id) VALUES (7--3), (7 - -3), (1 /* ; */ + 1);
