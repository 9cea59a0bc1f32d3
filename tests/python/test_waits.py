# SPDX-License-Identifier: MIT
"""Waits that end by a signal, or by another thread."""

import signal
import sys
import unittest

import dblock
from kit import Case, until

#: Ways to wait for the lock "job", or for its holder.
WAITS = {
    "lock": "client.lock('job')",
    "in a with": "client.lock('job').__enter__()",
    "shared": "client.lock('job', shared=True)",
    "lock_all": "client.lock_all(['free', 'job'])",
    "once": "client.once('job', 'slot')",
    "elect": "client.elect('job')",
    "mutex": "client.mutex('job').acquire()",
    "break": "client.break_lock('job')",
    "watch": "list(client.watch('job'))",
    "asyncio": "import asyncio; asyncio.run(client.alock('job')._acquire())",
}

INTERRUPTED = """
def wait():
    %s
print("begun", flush=True)
try:
    wait()
except KeyboardInterrupt:
    # The wait is over, and the client as good as ever.
    left = [w.pid for w in client.waiters()]
    with client.lock("another"):
        print("interrupted", left, flush=True)
"""


class Signals(Case):
    def interrupt(self, wait, is_waiting):
        program = self.program(INTERRUPTED % wait)
        self.assertEqual(program.stdout.readline(), "begun\n")
        until(is_waiting)
        program.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(program), "interrupted []\n")

    def test_ctrl_c_ends_each_wait_for_a_lock(self):
        with self.client.lock("job") as lock:
            for name in set(WAITS) - {"break", "watch"}:
                with self.subTest(wait=name):
                    self.interrupt(WAITS[name], lambda: self.client.waiters("job"))
            lock.check()
        self.assert_free("job")

    def test_ctrl_c_ends_a_break(self):
        with self.assertRaises(dblock.Lost):
            with self.client.lock("job") as lock:
                self.interrupt(WAITS["break"], lock.lost.is_set)

    def test_ctrl_c_ends_a_watch(self):
        program = self.program(
            """
try:
    for leader in client.watch("job"):
        print(leader.value, flush=True)
except KeyboardInterrupt:
    print("interrupted")
"""
        )
        with self.client.elect("job", "me"):
            self.assertEqual(program.stdout.readline(), "me\n")
            program.send_signal(signal.SIGINT)
            self.assertEqual(self.finish(program), "interrupted\n")

    def test_ctrl_c_ends_an_upgrade_and_it_is_held_as_it_was(self):
        with self.client.lock("job", shared=True):
            program = self.program(
                """
with client.lock("job", shared=True) as lock:
    print("begun", flush=True)
    try:
        lock.upgrade()
    except KeyboardInterrupt:
        lock.check()
        print(lock.mode.name)
"""
            )
            program.stdout.readline()
            until(lambda: self.client.waiters("job"))
            program.send_signal(signal.SIGINT)
            self.assertEqual(self.finish(program), "SHARED\n")

    def test_a_handler_that_returns_ends_nothing(self):
        program = self.program(
            """
signal.signal(signal.SIGUSR1, lambda *_: print("heard", flush=True))
print("begun", flush=True)
with client.lock("job"):
    print("held")
"""
        )
        with self.client.lock("job"):
            program.stdout.readline()
            until(lambda: self.client.waiters("job"))
            for _ in range(3):
                program.send_signal(signal.SIGUSR1)
                self.assertEqual(program.stdout.readline(), "heard\n")
        self.assertEqual(self.finish(program), "held\n")

    def test_a_handler_cannot_close_what_it_interrupts(self):
        program = self.program(
            """
def handler(*_):
    try:
        client.close()
    except dblock.Invalid as error:
        client.shutdown()
        print("refused", flush=True)
signal.signal(signal.SIGUSR1, handler)
print("begun", flush=True)
try:
    client.lock("job")
except dblock.Canceled:
    client.close()
    print("closed")
"""
        )
        with self.client.lock("job"):
            program.stdout.readline()
            until(lambda: self.client.waiters("job"))
            program.send_signal(signal.SIGUSR1)
            self.assertEqual(self.finish(program), "refused\nclosed\n")

    @unittest.skipIf(sys.version_info < (3, 11), "handlers run between a return and its use, too")
    def test_whenever_a_handler_raises_no_lock_is_left_that_nobody_has(self):
        program = self.program(
            """
class Stop(Exception): pass
def handler(*_): raise Stop
signal.signal(signal.SIGALRM, handler)
for i in range(200):
    held = []
    try:
        # Somewhere in here, in each run somewhere else.
        signal.setitimer(signal.ITIMER_REAL, 5e-5 + i * 2e-5)
        while True:
            held.append(client.lock("job%d" % len(held)))
    except Stop:
        pass
    for holder in client.list():
        assert holder.token in [lock.token for lock in held], (i, holder, held)
    assert len(client._grants) == len(held), (i, client._grants, held)
    for lock in held:
        lock.release()
print("through")
"""
        )
        self.assertEqual(self.finish(program), "through\n")


class Threads(Case):
    def test_others_run_while_one_waits(self):
        lock = self.client.lock("job")
        result = self.thread(lambda: self.other.lock("job").release())
        until(lambda: self.client.waiters("job"))
        lock.release()
        until(lambda: result == [None])

    def test_shutdown_and_close_end_the_waits_of_other_threads(self):
        for end in (self.other.shutdown, self.other.close):
            other = self.other = self.connect()
            with self.client.lock("job"):
                result = self.thread(lambda: other.lock("job"))
                until(lambda: self.client.waiters("job"))
                getattr(other, end.__name__)()
                until(lambda: result)
                self.assertIsInstance(result[0], dblock.Canceled)

    def test_close_while_others_use_it(self):
        calls = []

        def use():
            while True:
                with self.client.lock("n%d" % (len(calls) % 3)) as lock:
                    calls.append(lock.valid())

        results = [self.thread(use) for _ in range(4)]
        until(lambda: len(calls) > 20)
        self.client.close()
        until(lambda: all(results))
        for result in results:
            self.assertIsInstance(result[0], (dblock.Invalid, dblock.Canceled))
        self.assertEqual(self.other.list(), [])

    def test_a_deadlock_is_found(self):
        def cross(one, two):
            def run():
                with self.client.lock(one):
                    ready.append(one)
                    until(lambda: len(ready) == 2)
                    with self.client.lock(two):
                        return "both"

            return run

        ready = []
        results = [self.thread(cross("a", "b")), self.thread(cross("b", "a"))]
        until(lambda: all(results))
        both, victim = sorted((r[0] for r in results), key=lambda r: r != "both")
        self.assertEqual(both, "both")
        self.assertIsInstance(victim, dblock.Deadlock)

    def test_it_is_found_where_one_of_them_is_the_main_thread(self):
        held = self.client.lock("a")
        ready = []

        def cross():
            with self.other.lock("b"):
                ready.append(1)
                with self.other.lock("a"):
                    return "both"

        result = self.thread(cross)
        until(lambda: ready and self.client.waiters("a"))
        # The last to come.
        with self.assertRaises(dblock.Deadlock):
            self.client.lock("b")
        held.release()
        until(lambda: result == ["both"])

    def test_one_thread_releases_what_another_one_uses(self):
        for _ in range(50):
            lock = self.client.lock("job")
            result = self.thread(lambda: self.use(lock))
            lock.release()
            until(lambda: result)
            self.assertEqual(result, ["gone"])

    def use(self, lock):
        while lock.valid():
            lock.members
        try:
            lock.proclaim("x")
        except dblock.Invalid:
            return "gone"


if __name__ == "__main__":
    unittest.main()
