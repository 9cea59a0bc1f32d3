# SPDX-License-Identifier: MIT
"""Locks in asyncio."""

import asyncio
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import dblock
from kit import LONG, Case


class Loop(Case):
    def run_in_loop(self, coroutine):
        return asyncio.run(asyncio.wait_for(coroutine, LONG))

    def test_tasks_of_one_thread_take_turns(self):
        # One thread makes all steps: re-entry must not go by that.
        self.client._executor = ThreadPoolExecutor(1)
        inside = []
        most = []

        async def task():
            async with self.client.alock("job") as lock:
                inside.append(lock)
                most.append(len(inside))
                await asyncio.sleep(0.01)
                inside.remove(lock)
            return lock.token

        async def main():
            return await asyncio.gather(*(task() for _ in range(20)))

        tokens = self.run_in_loop(main())
        self.assertEqual(most, [1] * 20)
        self.assertEqual(len(set(tokens)), 20)
        self.assert_free("job")

    def test_the_loop_goes_on_while_one_waits(self):
        async def main():
            lock = await self.client.alock("job")
            waiting = asyncio.ensure_future(self.ours())
            while not self.client.waiters("job"):
                await asyncio.sleep(0.01)
            self.assertFalse(waiting.done())
            await dblock.release(lock)
            return await waiting

        self.assertEqual(self.run_in_loop(main()), "ours")

    async def ours(self):
        async with self.other.alock("job"):
            return "ours"

    def test_not_in_time(self):
        async def main():
            with self.assertRaises(dblock.Timeout):
                await self.client.alock("job", wait=0.2)
            with self.assertRaises(dblock.Busy):
                await self.client.alock("job", wait=0)
            with self.assertRaises(dblock.Invalid):
                await self.client.alock("x" * 256)
            async with self.client.alock("free", shared=True, wait=0) as lock:
                self.assertEqual(lock.mode, dblock.Mode.SHARED)

        with self.other.lock("job"):
            self.run_in_loop(main())
        self.assertEqual(self.other.list(), [])

    def test_what_is_canceled_leaves_the_queue(self):
        async def main():
            task = asyncio.ensure_future(self.ours())
            while not self.client.waiters("job"):
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            return self.client.waiters("job")

        with self.client.lock("job"):
            self.assertEqual(self.run_in_loop(main()), [])
        self.assert_free("job")

    def test_whenever_it_is_canceled_nothing_is_left_behind(self):
        async def main():
            for i in range(60):
                holder = await self.client.alock("job")
                task = asyncio.ensure_future(self.ours())
                await asyncio.sleep((i % 20) * 0.0005)
                released = asyncio.ensure_future(dblock.release(holder))
                await asyncio.sleep((i % 7) * 0.0005)
                task.cancel()
                await asyncio.wait([task])
                await released
                # All that was granted has been given back by now.
                lock = await self.client.alock("job", wait=0)
                await dblock.release(lock)

        self.run_in_loop(main())
        self.assertEqual((self.other._grants, self.other.list()), ({}, []))

    def test_who_is_canceled_while_it_releases_has_released_then(self):
        async def main():
            async def slowly():
                async with self.client.alock("job") as lock:
                    release = lock.release

                    def slow():
                        releasing.set()
                        time.sleep(0.2)
                        release()

                    lock.release = slow

            releasing = threading.Event()
            task = asyncio.ensure_future(slowly())
            while not releasing.is_set():
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assert_free("job")

        self.run_in_loop(main())

    def test_more_wait_than_there_are_threads(self):
        async def main():
            lock = await self.client.alock("job")
            tasks = [asyncio.ensure_future(self.ours()) for _ in range(12)]
            while len(self.client.waiters("job")) < 12:
                await asyncio.sleep(0.01)
            await dblock.release(lock)
            return await asyncio.gather(*tasks)

        self.assertEqual(self.run_in_loop(main()), ["ours"] * 12)

    def test_a_loss_is_told_and_does_not_mask(self):
        async def main():
            loop = asyncio.get_running_loop()
            heard = asyncio.Event()

            def on_lost(_):
                loop.call_soon_threadsafe(heard.set)

            with self.assertRaises(dblock.Lost):
                async with self.client.alock("job", on_lost=on_lost):
                    self.other.break_lock("job", force=True)
                    await heard.wait()
            with self.assertRaises(KeyError) as caught:
                async with self.client.alock("job") as lock:
                    self.other.break_lock("job", force=True)
                    raise KeyError("mine")
            self.assertIsInstance(caught.exception.__context__, dblock.Lost)
            self.assertFalse(lock.valid())

        self.run_in_loop(main())

    def test_each_task_gives_back_its_own_permit(self):
        gate = self.client.alock("pool", permits=(1, 2))

        async def main():
            both, left = asyncio.Event(), asyncio.Event()

            async def first():
                async with gate as lock:
                    await both.wait()
                left.set()
                self.assertFalse(lock.valid())

            async def second():
                async with gate as lock:
                    both.set()
                    await left.wait()
                    self.assertTrue(lock.valid())
                    self.assertEqual([h.token for h in self.other.show("pool")], [lock.token])

            task = asyncio.ensure_future(first())
            while not self.client.list("pool"):
                await asyncio.sleep(0.01)
            await asyncio.gather(task, second())

        self.run_in_loop(main())
        self.assertEqual(self.other.list(), [])

    def test_who_has_lost_it_does_not_release_it_for_another_task(self):
        one = self.client.alock("job")

        async def main():
            lost, got, left = asyncio.Event(), asyncio.Event(), asyncio.Event()

            async def loser():
                async with one:
                    lost.set()
                    await got.wait()

            task = asyncio.ensure_future(loser())
            await lost.wait()
            self.other.break_lock("job", force=True)
            async with one as mine:
                got.set()
                with self.assertRaises(dblock.Lost):
                    await task
                self.assertTrue(mine.valid())
                self.assert_held("job")
            self.assert_free("job")

        self.run_in_loop(main())

    def test_one_task_may_enter_it_often_and_another_one_leave(self):
        gate = self.client.alock("pool", permits=(1, 9))

        async def main():
            async with gate as a:
                async with gate as b:
                    await dblock.release(b)
                self.assertTrue(a.valid())
                # As the end of an async generator that nobody has closed.
                await asyncio.ensure_future(gate.__aexit__(None, None, None))
                self.assertFalse(a.valid())
                with self.assertRaises(RuntimeError):
                    await gate.__aexit__(None, None, None)
                a = await gate.__aenter__()
            self.assertFalse(a.valid())
            for _ in range(2):
                await asyncio.ensure_future(gate.__aenter__())
            # Which one?
            with self.assertRaises(RuntimeError):
                await gate.__aexit__(None, None, None)

        self.run_in_loop(main())

    def test_what_a_closed_client_held_is_not_released(self):
        async def main():
            with self.assertRaisesRegex(dblock.Invalid, "closed"):
                async with self.client.alock("job"):
                    self.client.close()

        # It has threads: one was needed.
        self.run_in_loop(self.once())
        self.run_in_loop(main())
        self.assert_free("job")

    async def once(self):
        async with self.client.alock("once"):
            pass

    def test_a_client_is_not_closed_under_its_own_tasks(self):
        async def main():
            task = asyncio.ensure_future(self.ours())
            while not self.client.waiters("job"):
                await asyncio.sleep(0.01)
            with self.assertRaises(dblock.Invalid):
                self.other.close()
            self.other.shutdown()
            with self.assertRaises(dblock.Canceled):
                await task
            self.other.close()

        with self.client.lock("job"):
            self.run_in_loop(main())


if __name__ == "__main__":
    unittest.main()
