CREATE TABLE "a;""b" ([c;d'] TEXT, `e;``f` TEXT, "it's" BLOB);
INSERT INTO "a;""b" VALUES ('x''; y', '"[`', x'3b');
CREATE TABLE [t"] (id INTEGER CHECK (id <> ';'));
SELECT [c;d'], 'a' 'b;' FROM "a;""b";
