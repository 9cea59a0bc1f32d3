# SPDX-License-Identifier: MIT
"""What the tests of the Python module share."""

import os
import subprocess
import sys
import threading
import time
import unittest

import dblock

URL = os.environ.get("DBLOCK_TEST_URL", "")
SLOWNESS = int(os.environ.get("DBLOCK_TEST_SLOWNESS", "1"))
#: A bound, and no expectation.
LONG = 60 * SLOWNESS


def until(condition, what="it"):
    """Waits for a condition, and returns it."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("in vain: " + what)


class Case(unittest.TestCase):
    """Has two clients, as two processes would."""

    _tests = 0

    def setUp(self):
        # Tables of its own, so that no test sees what another one has left.
        Case._tests += 1
        self.prefix = "t%d_" % Case._tests
        self.client = self.connect(auto_migrate=True)
        self.other = self.connect()

    def connect(self, **options):
        client = dblock.connect(URL, prefix=self.prefix, **options)
        self.addCleanup(client.close)
        return client

    def thread(self, function):
        """Runs it on a thread; what it returns or raises is in the list that is returned."""
        result = []

        def run():
            try:
                result.append(function())
            except BaseException as exception:
                result.append(exception)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(thread.join, LONG)
        return result

    def program(self, text, *arguments):
        """Starts a program that has dblock imported, and a client."""
        begin = "import dblock, os, signal, sys, threading, time\n"
        begin += "client = dblock.connect(%r, prefix=%r)\n" % (URL, self.prefix)
        process = subprocess.Popen(
            [sys.executable, "-c", begin + text, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()

    def finish(self, process):
        """What the program has said, when it has ended well."""
        out, err = process.communicate(timeout=LONG)
        self.assertEqual(process.returncode, 0, out + err)
        return out

    def assert_held(self, name, by=None):
        self.assertIsNone((by or self.other).try_lock(name))

    def assert_free(self, name):
        lock = self.other.try_lock(name)
        self.assertIsNotNone(lock, self.other.show(name))
        lock.release()
