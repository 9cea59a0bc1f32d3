# SPDX-License-Identifier: MIT
"""What a child may do with a client, which is nothing; and what is left when a program ends."""

import os
import signal
import unittest

import dblock
from dblock import _calls
from kit import LONG, Case, until


class Processes(Case):
    def test_a_child_has_nothing_of_it(self):
        lock = self.client.lock("job")
        # As of a thread that is in a call just now: the child is not to wait for it.
        call = _calls.Call()
        call.thread = 0
        self.client._gate.inside.add(call)
        self.addCleanup(self.client._gate.inside.clear)
        said = self.in_child(
            lambda: [
                lock.valid(),
                self.kind_of(lock.release),
                self.kind_of(lambda: self.client.lock("other")),
                self.kind_of(self.client.list),
                self.kind_of(self.client.close),
                self.client.closed,
            ]
        )
        self.assertEqual(said, "[False, 'Forked', 'Forked', 'Forked', None, True]")
        self.assertTrue(lock.valid())
        self.assert_held("job")
        lock.release()

    def test_a_child_that_ends_as_python_does_closes_nothing(self):
        program = self.program(
            """
import warnings
warnings.simplefilter("always", ResourceWarning)
lock = client.lock("job")
with lock:
    if os.fork() == 0:
        del client, lock
        import gc
        gc.collect()
        sys.exit(0)
    os.wait()
    lock.check()
    print(len(client.list()))
client.close()
"""
        )
        out, err = program.communicate(timeout=LONG)
        self.assertEqual(out, "1\n")
        self.assertNotIn("dblock", err)

    def in_child(self, function):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.alarm(LONG)
            try:
                os.write(write, repr(function()).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as stream:
            said = stream.read()
        os.waitpid(pid, 0)
        return said

    def kind_of(self, function):
        try:
            function()
        except dblock.Error as error:
            return type(error).__name__

    def taken_over(self, program):
        """The lock "job" is somebody else's once the program has it no more."""
        token = int(program.stdout.readline())
        result = self.thread(lambda: self.other.lock("job"))
        until(lambda: result)
        self.assertGreater(result[0].token, token)
        result[0].release()

    def test_a_program_that_ends_gives_back_what_it_held(self):
        program = self.program("lock = client.lock('job'); print(lock.token)")
        program.wait()
        self.taken_over(program)
        self.assertEqual(self.finish(program), "")

    def test_a_client_that_nobody_has_any_more_is_closed(self):
        program = self.program(
            """
import gc
print(client.lock("job").token, flush=True)
del client
gc.collect()
input()
"""
        )
        self.taken_over(program)
        program.stdin.write("\n")
        self.assertEqual(self.finish(program), "")

    def test_a_program_ends_though_a_thread_waits(self):
        with self.client.lock("job"):
            program = self.program(
                """
threading.Thread(target=client.lock, args=("job",), daemon=True).start()
while not client.waiters():
    time.sleep(0.01)
print("ends")
"""
            )
            self.assertIn("ends", self.finish(program))


if __name__ == "__main__":
    unittest.main()
