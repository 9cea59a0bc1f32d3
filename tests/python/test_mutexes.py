# SPDX-License-Identifier: MIT
"""A lock that looks like threading.Lock."""

import threading
import unittest

import dblock
from kit import LONG, Case, until


class Mutexes(Case):
    def test_as_threading_lock(self):
        mutex, same = self.client.mutex("m"), self.client.mutex("m")
        self.assertFalse(mutex.locked())
        self.assertIs(mutex.acquire(), True)
        self.assertTrue(mutex.locked())
        self.assertIs(same.acquire(blocking=False), False)
        self.assertIs(same.acquire(timeout=0.1), False)
        self.assertIs(mutex.acquire(False), False)
        self.assertTrue(mutex.locked())
        mutex.release()
        self.assertFalse(mutex.locked())
        with self.assertRaises(RuntimeError):
            mutex.release()
        with same as lock:
            self.assertTrue(lock.valid())
        self.assert_free("m")
        for bad in (dict(blocking=False, timeout=1), dict(timeout=-2)):
            with self.assertRaises(ValueError):
                mutex.acquire(**bad)

    def test_it_has_the_options_of_a_lock(self):
        with self.client.mutex("m", value="Ada", lease=90):
            (holder,) = self.other.show("m")
            self.assertEqual((holder.value, holder.hold), ("Ada", dblock.Hold.LEASE))

    def test_what_no_mutex_can_be_is_refused(self):
        for options, why in (
            (dict(permits=(1, 2)), "permits: .*client.lock"),
            (dict(shared=True), "shared: .*client.lock"),
            (dict(update=True), "update: .*client.lock"),
            (dict(owner=7), "owner: "),
            (dict(wait=0), "wait: .*timeout"),
        ):
            with self.subTest(options=options):
                with self.assertRaisesRegex(dblock.Invalid, why):
                    self.client.mutex("m", **options)
        self.client.mutex("m", shared=False, permits=None, wait=None)
        with self.assertRaisesRegex(TypeError, "no_such"):
            self.client.mutex("m", no_such=1)

    def lose_it(self, work):
        """One thread loses it, and runs `work` when another one has it; the other one's Lock."""
        mutex = self.client.mutex("m")
        lost, got = threading.Event(), threading.Event()

        def loser():
            work(mutex, lambda: (lost.set(), got.wait(LONG)))

        said = self.thread(loser)
        self.assertTrue(lost.wait(LONG), said)
        self.assertTrue(self.other.break_lock("m", force=True))
        self.assertTrue(mutex.acquire(timeout=LONG))
        mine = mutex.lock
        got.set()
        until(lambda: said)
        self.assertIsInstance(said[0], dblock.Lost)
        self.assertIs(mutex.lock, mine)
        self.assertTrue(mine.valid() and mutex.locked())
        self.assert_held("m")
        mutex.release()
        self.assert_free("m")

    def test_who_has_lost_it_does_not_release_it_for_another_thread(self):
        def work(mutex, lose):
            mutex.acquire()
            lose()
            mutex.release()

        self.lose_it(work)

    def test_nor_at_the_end_of_a_with(self):
        def work(mutex, lose):
            with mutex:
                lose()

        self.lose_it(work)

    def test_nor_if_it_was_released_before_the_end(self):
        def work(mutex, lose):
            with mutex:
                mutex.release()
                with mutex:
                    lose()

        self.lose_it(work)

    def test_a_release_before_the_end_of_a_with_is_one(self):
        mutex = self.client.mutex("m")
        got, done = threading.Event(), threading.Event()

        def other():
            with mutex as lock:
                got.set()
                done.wait(LONG)
                return lock.valid()

        with mutex:
            mutex.release()
            said = self.thread(other)
            self.assertTrue(got.wait(LONG))
        done.set()
        until(lambda: said)
        self.assertEqual(said, [True])
        with mutex as lock:
            lock.release()

    def test_another_thread_may_release_it(self):
        mutex = self.client.mutex("m")
        mutex.acquire()
        said = self.thread(lambda: (mutex.locked(), mutex.release()))
        until(lambda: said)
        self.assertEqual(said, [(True, None)])
        self.assert_free("m")
        mutex.__enter__()
        said = self.thread(lambda: mutex.__exit__(None, None, None))
        until(lambda: said)
        self.assertEqual(said, [None])
        self.assert_free("m")


if __name__ == "__main__":
    unittest.main()
