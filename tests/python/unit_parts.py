# SPDX-License-Identifier: MIT
"""What needs no database."""

import os
import pickle
import subprocess
import sys
import threading
import unittest
from datetime import timedelta

import dblock
from dblock import _calls, _values
from kit import until


class Times(unittest.TestCase):
    def test_duration(self):
        for value, ms in ((None, 0), (1, 1000), (0.25, 250), (timedelta(minutes=1), 60000)):
            self.assertEqual(_values.duration(value, "x"), ms)
        # Never cut short, and never to 0, which is the default.
        self.assertEqual(_values.duration(0.0001, "x"), 1)
        self.assertEqual(_values.duration(0, "x", zero=True), 0)
        for value in (0, -1, float("nan"), float("inf"), timedelta(0), 1e16):
            with self.assertRaises(dblock.Invalid):
                _values.duration(value, "x")

    def test_waiting(self):
        for value, ms in ((None, -1), (float("inf"), -1), (0, -2), (0.5, 500), (1e-9, 1)):
            self.assertEqual(_values.waiting(value), ms)
        with self.assertRaises(dblock.Invalid):
            _values.waiting(-0.1)

    def test_signed(self):
        for value, ms in ((None, 0), (0, -1), (-5, -5000), (2, 2000)):
            self.assertEqual(_values.signed(value, "x"), ms)


class Errors(unittest.TestCase):
    def test_they_can_be_told_from_each_other_and_caught_as_pythons_own(self):
        for error, also in (
            (dblock.Timeout, TimeoutError),
            (dblock.Invalid, ValueError),
            (dblock.Unavailable, ConnectionError),
            (dblock.NoMemory, MemoryError),
            (dblock.Denied, PermissionError),
        ):
            self.assertTrue(issubclass(error, also) and issubclass(error, dblock.Error))
            self.assertEqual(str(error("why")), "why")

    def test_they_go_from_process_to_process(self):
        for kind in (dblock.Busy, dblock.Timeout, dblock.Denied):
            error = kind("why", 0, "40001", 5)
            copy = pickle.loads(pickle.dumps(error))
            self.assertIs(type(copy), kind)
            self.assertEqual(
                (copy.message, copy.code, copy.sqlstate, copy.native),
                ("why", kind.code, "40001", 5),
            )


class Gates(unittest.TestCase):
    def test_who_is_inside_is_waited_for(self):
        gate, call = _calls.Gate(), _calls.Call()
        self.assertTrue(gate.enter(call))
        shut = []

        def shutter():
            gate.shut()
            shut.append(gate.wait(0.05))
            gate.wait()
            shut.append("all out")

        thread = threading.Thread(target=shutter)
        thread.start()
        until(lambda: shut)
        self.assertEqual(shut, [False])
        self.assertFalse(gate.enter(_calls.Call()))
        gate.inside.clear()
        thread.join()
        self.assertEqual(shut, [False, "all out"])

    def test_nobody_waits_for_himself(self):
        gate = _calls.Gate()
        gate.enter(_calls.Call())
        with self.assertRaises(dblock.Invalid):
            gate.shut()
        self.assertTrue(gate.enter(_calls.Call()))


class Library(unittest.TestCase):
    def imported(self, library):
        return subprocess.run(
            [sys.executable, "-c", "import dblock"],
            env=dict(os.environ, DBLOCK_LIBRARY=library),
            capture_output=True,
            text=True,
        )

    def test_where_there_is_none_it_says_what_to_do(self):
        done = self.imported("/nowhere/libdblock.so.0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: dblock: the C library cannot be loaded", done.stderr)
        self.assertIn("install libdblock0", done.stderr)

    def test_another_version_is_not_taken(self):
        tmp = os.environ["DBLOCK_TEST_TMP"]
        source, library = os.path.join(tmp, "new.c"), os.path.join(tmp, "new.so")
        with open(source, "w") as stream:
            stream.write('const char *dblock_version(void) { return "0.2.0"; }\n')
        cc = os.environ.get("CC", "cc")
        subprocess.run([cc, "-shared", "-fPIC", "-o", library, source], check=True)
        done = self.imported(library)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"ImportError: .*for version 0\.1\.x .* is 0\.2\.0")


if __name__ == "__main__":
    unittest.main()
