# SPDX-License-Identifier: MIT
"""What _native.py and _library.py say of the C library is what its headers say."""

import ctypes
import os
import re
import subprocess
import tempfile
import unittest

import dblock
from dblock import _errors, _library, _native, _told, _values

SOURCE = os.environ["DBLOCK_SOURCE_DIR"]
BUILD = os.environ["DBLOCK_BUILD_DIR"]

BEGIN = """
#include <dblock/dblock.h>
#include <stdio.h>
#define KIND(x) _Generic((x), _Bool: "?", int: "i", unsigned: "I", int64_t: "l", uint64_t: "L", \\
	char *: "s", const char *: "z", default: "P")
#define FIELD(type, name) \\
	printf(#type " " #name " %zu %zu %s\\n", offsetof(struct type, name), \\
	       sizeof(((struct type *)0)->name), KIND(((struct type *)0)->name))
"""

#: What C calls a type: of a field, KIND(); of a parameter, its type.
KINDS = {
    ctypes.c_bool: "?",
    ctypes.c_int: "i",
    ctypes.c_uint: "I",
    ctypes.c_int64: "l",
    ctypes.c_uint64: "L",
    ctypes.c_char_p: "z",
}
TYPES = {
    ctypes.c_bool: "_Bool",
    ctypes.c_int: "int",
    ctypes.c_uint: "unsigned",
    ctypes.c_int64: "int64_t",
    ctypes.c_size_t: "size_t",
    ctypes.c_char: "char",
    ctypes.c_char_p: "const char *",
    ctypes.c_void_p: "void *",
    _native.HolderCallback: "dblock_holder_cb *",
    _native.WaiterCallback: "dblock_waiter_cb *",
    None: "void",
}


def structs():
    """Those with fields: the others are never looked into."""
    for name, one in vars(_native).items():
        if name.startswith("dblock_") and hasattr(one, "_fields_"):
            yield name, one


def kind(field):
    if issubclass(field, ctypes.Array):
        return "s"
    return KINDS.get(field, "L" if field is ctypes.c_size_t else "P")


def c_type(argument):
    if argument in TYPES:
        return TYPES[argument]
    inner = argument._type_
    if isinstance(inner, type) and issubclass(inner, ctypes.Structure):
        return "struct %s *" % inner.__name__
    return c_type(inner) + " *"


class Layout(unittest.TestCase):
    def compiled(self, text, *flags):
        """What a C program says."""
        with tempfile.TemporaryDirectory(dir=os.environ.get("DBLOCK_TEST_TMP")) as folder:
            source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
            with open(source, "w") as stream:
                stream.write(text)
            cc = os.environ.get("CC", "cc")
            done = subprocess.run(
                [cc, "-std=c11", "-o", program, source, *flags]
                + ["-I%s/include" % SOURCE, "-I%s/include" % BUILD]
                + ["-L%s/src" % BUILD, "-ldblock", "-Wl,-rpath,%s/src" % BUILD],
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            return subprocess.run([program], capture_output=True, text=True, check=True).stdout

    def test_each_field_of_each_struct(self):
        lines, wanted = [], []
        for name, one in structs():
            # What begins with its size may have members at its end that are not known here.
            if one._fields_[0][0] != "size":
                lines.append('printf("%s %%zu\\n", sizeof(struct %s));' % (name, name))
                wanted.append("%s %d" % (name, ctypes.sizeof(one)))
            for field, of in one._fields_:
                at = getattr(one, field)
                lines.append("FIELD(%s, %s);" % (name, field))
                wanted.append("%s %s %d %d %s" % (name, field, at.offset, at.size, kind(of)))
        said = self.compiled(BEGIN + "int main(void) { %s return 0; }" % "\n".join(lines))
        self.assertEqual(said.splitlines(), wanted)
        self.assertGreater(len(wanted), 150)

    def test_what_begins_with_its_size_says_so(self):
        for name, one in structs():
            body = re.search(r"^struct %s \{(.*?)^\};" % name, self.headers(), re.M | re.S).group(1)
            sized = re.match(r"\s*size_t size;", body) is not None
            self.assertEqual(one._fields_[0][0] == "size", sized, name)
            # Those that are handed out are the library's to fill; the others have it from Sized.
            if sized and name not in ("dblock_holder", "dblock_waiter"):
                self.assertEqual(one().size, ctypes.sizeof(one), name)
            # Frozen: no member of it may be hidden by padding, either.
            if not sized:
                body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
                self.assertEqual(body.count(";"), len(one._fields_), name)

    def headers(self):
        folder = os.path.join(SOURCE, "include", "dblock")
        text = ""
        for name in sorted(os.listdir(folder)):
            if name.endswith(".h"):
                with open(os.path.join(folder, name)) as stream:
                    text += stream.read()
        return text

    def test_each_function_can_be_called_so(self):
        calls = []
        for name, (result, arguments) in _library.FUNCTIONS.items():
            parameters = ["%s a%d" % (c_type(a), i) for i, a in enumerate(arguments)]
            names = ", ".join("a%d" % i for i in range(len(arguments)))
            calls.append(
                "%s call_%s(%s);\n%s call_%s(%s) { %s%s(%s); }"
                % (
                    (c_type(result), name, ", ".join(parameters) or "void") * 2
                    + ("" if result is None else "return ", name, names)
                )
            )
        text = BEGIN + "\n".join(calls) + "\nint main(void) { return 0; }"
        # What is narrowed, or of another type, is an error. Enums are unsigned.
        self.compiled(text, "-Wall", "-Wconversion", "-Wno-sign-conversion", "-Werror")
        # So is a call that gives less than C wants, or more: C counts. And what is widened:
        prototypes = "".join(
            '_Static_assert(sizeof(%s) == sizeof(%s(%s)), "%s");\n'
            % (c_type(r), n, ", ".join("(%s)0" % c_type(x) for x in a), n)
            for n, (r, a) in _library.FUNCTIONS.items()
            if r is not None
        )
        self.compiled(BEGIN + prototypes + "int main(void) { return 0; }", "-Werror")

    def test_each_number_that_a_function_takes(self):
        """A narrow one would be widened, and nobody would say so."""
        text = re.sub(r"/\*.*?\*/", "", self.headers(), flags=re.S)
        words = {ctypes.c_int64: "int64_t", ctypes.c_size_t: "size_t", ctypes.c_uint: "enum"}
        seen = 0
        for name, (_, arguments) in _library.FUNCTIONS.items():
            if name in ("dblock_version", "dblock_drivers"):
                continue
            declared = re.search(r"\b%s\((.*?)\);" % name, text, re.S).group(1).split(",")
            self.assertEqual(len(declared), len(arguments), name)
            for argument, parameter in zip(arguments, declared):
                is_pointer = "*" in parameter or "[" in parameter
                self.assertEqual(argument in words, not is_pointer, (name, parameter))
                if not is_pointer:
                    self.assertEqual(words[argument], parameter.split()[0], (name, parameter))
                    seen += 1
        self.assertGreater(seen, 5)

    def test_each_outcome_has_its_exception_or_needs_none(self):
        text = """
#define X(name, value, text) printf("%d DBLOCK_" #name "\\n", value);
int main(void) { DBLOCK_OUTCOME_MAP(X) return 0; }
"""
        said = self.compiled(BEGIN + text).splitlines()
        wanted = ["%d %s" % (code, name) for code, name in _errors.NAMES.items()]
        self.assertEqual(said, wanted)
        # Done, a wait that goes on, and those of migrations: this module has none.
        rest = set(_errors.NAMES) - set(_errors.CLASSES)
        self.assertEqual(rest, {0, 6, -15, -16, -17})

    def test_each_constant(self):
        pairs = [
            (_native.FOREVER, "DBLOCK_FOREVER"),
            (_native.NO_WAIT, "DBLOCK_NO_WAIT"),
            (_native.UNKNOWN_MS, "INT64_MIN"),
            (_native.SESSION_ID_SIZE, "DBLOCK_SESSION_ID_SIZE"),
            (_native.DURABILITIES["durable"], "DBLOCK_DURABLE"),
            (_native.DURABILITIES["relaxed"], "DBLOCK_RELAXED"),
            (_native.DURABILITIES["remote"], "DBLOCK_REMOTE"),
        ]
        for name in ("OK", "BUSY", "TIMEOUT", "LOST", "STALE", "WAITING"):
            pairs.append((getattr(_native, name), "DBLOCK_" + name))
        for enum, prefix in (
            (_values.Mode, "DBLOCK_"),
            (_values.Hold, "DBLOCK_HOLD_"),
            (_values.Cause, "DBLOCK_LOSS_"),
            (_told.State, "DBLOCK_STATE_"),
        ):
            pairs += [(int(one), prefix + one.name) for one in enum]
        lines = ['printf("%%lld\\n", (long long)%s);' % name for _, name in pairs]
        said = self.compiled(BEGIN + "int main(void) { %s return 0; }" % "\n".join(lines))
        self.assertEqual([int(line) for line in said.split()], [value for value, _ in pairs])

    def test_each_value_of_an_enum_is_known(self):
        text = self.headers()
        for enum, name in (
            (_values.Mode, "dblock_mode"),
            (_values.Hold, "dblock_hold"),
            (_values.Cause, "dblock_loss_cause"),
            (_told.State, "dblock_connection_state"),
        ):
            body = re.search(r"^enum %s \{(.*?)^\};" % name, text, re.M | re.S).group(1)
            body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            self.assertEqual(len(re.findall(r"DBLOCK_\w+", body)), len(enum), name)

    def test_the_version_that_it_is_made_for(self):
        said = self.compiled(BEGIN + "int main(void) { puts(DBLOCK_VERSION_STRING); return 0; }")
        self.assertTrue(said.startswith(_library.MADE_FOR))
        self.assertEqual(said.strip(), dblock.__version__)
        self.assertIn("sqlite", dblock.drivers)


if __name__ == "__main__":
    unittest.main()
