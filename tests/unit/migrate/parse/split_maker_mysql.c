/* SPDX-License-Identifier: MIT */
/* MySQL's statements and stored programs, by its grammar. */
#include "split_maker.h"

static void mysql_statement(struct maker *m, int depth);

static void mysql_simple(struct maker *m)
{
	static const char *const all[] = {
		"SELECT 'a;_b' , \"it\\\";_\"",
		"SET @end = IF ( 1 , 2 , 3 )",
		"SET x = CASE WHEN x THEN REPEAT('a',2) ELSE IF(1,2,3) END",
		"INSERT INTO t ( `end` , `;` ) VALUES ( 1 , CASE x WHEN 1 THEN 2 END )",
		"DO SLEEP(0)",
		"SELECT a.end , a.begin , a.if FROM a ORDER BY CASE WHEN 1 THEN 2 END FOR UPDATE",
		"DROP TABLE IF EXISTS t",
		"SET @begin := 5--3",
		"REPLACE INTO t VALUES ( 'END;_BEGIN' , \\N )",
		"CALL p ( ( SELECT ( CASE WHEN 1 THEN ( 2 ) END ) ) )",
	};

	words(m, PICK(m, all));
}

static void mysql_condition(struct maker *m)
{
	static const char *const all[] = {" x > 0 ", " IF(x,1,2) ", " ( a OR b ) AND c ",
					  " CASE x WHEN 1 THEN 2 END = 2 ",
					  " NOT EXISTS ( SELECT 1 ) "};

	words(m, PICK(m, all));
}

static void mysql_list(struct maker *m, int depth)
{
	for (unsigned n = 1 + draw(m, 2); n > 0; n--) {
		put_gap(m);
		mysql_statement(m, depth);
		words(m, "; ");
	}
}

static void mysql_handler(struct maker *m, int depth)
{
	static const char *const all[] = {
		"DECLARE EXIT HANDLER FOR SQLEXCEPTION , SQLWARNING ",
		"DECLARE CONTINUE HANDLER FOR NOT FOUND ",
		"DECLARE EXIT HANDLER FOR SQLSTATE VALUE '42000' , 1050 , gone ",
		"DECLARE UNDO HANDLER FOR SQLSTATE '1' ",
	};

	words(m, "DECLARE i , n INT DEFAULT 0 ; DECLARE c CURSOR FOR SELECT 1 ; ");
	words(m, PICK(m, all));
	mysql_statement(m, depth);
	words(m, "; ");
}

static void mysql_begin(struct maker *m, int depth)
{
	words(m, "BEGIN ");
	if (draw(m, 3) == 0)
		mysql_handler(m, depth);
	if (draw(m, 5) > 0)
		mysql_list(m, depth);
	words(m, "END");
}

static void mysql_if(struct maker *m, int depth)
{
	words(m, "IF ");
	mysql_condition(m);
	words(m, "THEN ");
	mysql_list(m, depth);
	if (draw(m, 2)) {
		words(m, "ELSEIF ");
		mysql_condition(m);
		words(m, "THEN ");
		mysql_list(m, depth);
	}
	if (draw(m, 2)) {
		words(m, "ELSE ");
		mysql_list(m, depth);
	}
	words(m, "END IF");
}

static void mysql_case(struct maker *m, int depth)
{
	words(m, "CASE ");
	if (draw(m, 2))
		mysql_condition(m);
	for (unsigned n = 1 + draw(m, 2); n > 0; n--) {
		words(m, "WHEN ");
		mysql_condition(m);
		words(m, "THEN ");
		mysql_list(m, depth);
	}
	if (draw(m, 2)) {
		words(m, "ELSE ");
		mysql_list(m, depth);
	}
	words(m, "END CASE");
}

static void mysql_loop(struct maker *m, int depth)
{
	static const char *const heads[] = {"LOOP ", "REPEAT ", "FOR i IN 1..3 DO ",
					    "FOR r IN ( SELECT 1 ) DO ", "WHILE "};
	static const char *const ends[] = {"END LOOP", "END REPEAT", "END FOR", "END FOR",
					   "END WHILE"};
	unsigned which = draw(m, 5);
	bool label = draw(m, 2);

	words(m, label ? "l1 : " : "");
	words(m, heads[which]);
	if (which == 4) {
		mysql_condition(m);
		words(m, "DO ");
	}
	mysql_list(m, depth);
	if (which == 1) {
		words(m, "UNTIL ");
		mysql_condition(m);
	}
	words(m, ends[which]);
	words(m, label ? " l1" : "");
}

static void mysql_statement(struct maker *m, int depth)
{
	static void (*const compound[])(struct maker *, int) = {mysql_begin, mysql_if, mysql_case,
								mysql_loop};

	if (depth == 0 || draw(m, 3) == 0)
		mysql_simple(m);
	else
		compound[draw(m, 4)](m, depth - 1);
}

void mysql_top(struct maker *m)
{
	static const char *const heads[] = {
		"CREATE PROCEDURE p ( a INT , b SET('x','y') ) COMMENT 'c;_BEGIN' ",
		"CREATE OR REPLACE DEFINER = `a`@`b` PROCEDURE IF NOT EXISTS p() READS SQL DATA ",
		"CREATE FUNCTION f() RETURNS CHAR(3) CHARACTER SET utf8mb4 DETERMINISTIC ",
		"CREATE FUNCTION f() RETURNS INT ",
		"CREATE FUNCTION f() RETURNS SET('a','b') NO SQL ",
		"CREATE DEFINER=root@localhost TRIGGER t BEFORE INSERT ON a FOR EACH ROW ",
		"CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW FOLLOWS t1 ",
		"CREATE EVENT e ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01' COMMENT 'DO' DO ",
		("/*!50003_CREATE*/ /*!50017_DEFINER=`a`@`b`*/ "
		 "/*!50003_TRIGGER_t_BEFORE_INSERT_ON_a_FOR_EACH_ROW_*/ "),
		"ALTER EVENT e DO ",
	};

	if (draw(m, 3) == 0) {
		mysql_simple(m);
		return;
	}
	if (draw(m, 8) == 0) {
		words(m, "BEGIN NOT ATOMIC ");
		mysql_list(m, 3);
		words(m, "END");
		return;
	}
	words(m, PICK(m, heads));
	mysql_statement(m, 4);
}
