# SPDX-License-Identifier: MIT
"""A client's session: its id, how it stands, and its end."""

import signal
import time
import unittest
from ctypes import byref

import dblock
from dblock import _native as n
from dblock._library import lib
from dblock._options import acquire_options
from kit import SLOWNESS, URL, Case

STOPPED = """
import logging
told, logged = [], []

class Keep(logging.Handler):
    def emit(self, record):
        logged.append(record.getMessage())

logging.getLogger("dblock").addHandler(Keep())

def on_state(change):
    try:
        mine.close()
    except dblock.Invalid:
        told.append(change)
    raise ValueError("to be logged")

def seen(*wanted):
    states = iter([change.state for change in told])
    return all(state in states for state in wanted)

mine = dblock.connect(sys.argv[1], prefix=sys.argv[2], ttl=float(sys.argv[3]), on_state=on_state)
before = mine.session_id
print(before, flush=True)
sys.stdin.readline()
while not seen(dblock.State.LOST, dblock.State.CONNECTED):
    time.sleep(0.01)
lost = [change for change in told if change.state == dblock.State.LOST][0]
print(isinstance(lost.why, dblock.Error), mine.session_id != before, set(logged))
mine.close()
"""


class Session(Case):
    def test_its_id_and_its_state(self):
        with self.client.lock("job"):
            (holder,) = self.other.show("job")
            self.assertEqual(self.client.session_id, holder.session)
        self.assertNotEqual(self.client.session_id, self.other.session_id)
        self.assertIn(self.client.state, (dblock.State.CONNECTED, dblock.State.RECONNECTED))
        only_looks = self.connect(observe=True)
        self.assertEqual(only_looks.state, dblock.State.NONE)
        with self.assertRaisesRegex(dblock.Invalid, "observe"):
            only_looks.session_id
        self.client.close()
        for read in (lambda: self.client.state, lambda: self.client.session_id):
            with self.assertRaises(dblock.Invalid):
                read()

    def test_who_wants_to_know_hears_that_it_was_lost(self):
        ttl = 1.0 * SLOWNESS
        process = self.program(STOPPED, URL, self.prefix, str(ttl))
        self.assertEqual(len(process.stdout.readline().strip()), n.SESSION_ID_SIZE - 1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(ttl * 1.2)
        process.send_signal(signal.SIGCONT)
        process.stdin.write("\n")
        self.assertEqual(self.finish(process).strip(), "True True {'on_state failed'}")

    def test_what_cannot_be_called(self):
        with self.assertRaisesRegex(TypeError, "^on_state: .*int"):
            self.connect(on_state=3)

    def test_a_close_that_is_refused_says_why_and_closes_nothing(self):
        lock = self.client.lock("job")
        wait, error = n.WaitP(), n.dblock_error()
        code = lib.dblock_acquire_begin(
            self.client._handle, b"other", byref(acquire_options({})), byref(wait), byref(error)
        )
        self.assertEqual(code, n.OK)
        with self.assertRaisesRegex(dblock.Invalid, "dblock_wait_end"):
            self.client.close()
        self.assertFalse(self.client.closed)
        self.assertTrue(lock.valid())
        self.assert_held("job")
        lib.dblock_wait_end(wait)
        self.client.close()
        self.assertTrue(self.client.closed)
        self.assert_free("job")


if __name__ == "__main__":
    unittest.main()
