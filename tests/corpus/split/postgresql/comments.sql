-- a comment; with a semicolon, and a quote '
/* one /* nested; */ still in it; ' */ CREATE TABLE a (id int -- here; too
	, b int /* and ; here */
) /* behind */ ; -- behind it

/*+ SeqScan(a) */ /* a hint that is far away */
-- nothing
/* x */SELECT 1/*;*/-- ;
	+ 2 -- last
;
/**/ /***/ /*/ */ /*/*/ */*/ /* ** / */
SELECT 3
-- the end, no line feed