# SPDX-License-Identifier: MIT
"""A lock for asyncio: a wait in steps, whose descriptor is in the loop. No step blocks."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from ctypes import byref, c_int
from typing import TYPE_CHECKING, Any, Generator, List, Optional

from . import _native as n
from ._calls import Call
from ._entries import Entries
from ._errors import Error, Invalid
from ._library import fail, lib
from ._lock import Grant, Lock, OnLost, chain

if TYPE_CHECKING:
    from ._client import Client


def _executor(client: Client) -> ThreadPoolExecutor:
    """Not the loop's: that may be full of those who keep others waiting."""
    with client._locked():
        if client._executor is None:
            client._executor = ThreadPoolExecutor(4, thread_name_prefix="dblock")
        return client._executor


class _Waiting:
    """One wait, from its beginning to its end; the client is not closed meanwhile."""

    def __init__(self, client: Client, name: bytes, options: Any) -> None:
        self.client = client
        self.wait = n.WaitP()
        self.handle = n.LockP()
        self.error = n.dblock_error()
        self._call = Call()
        try:
            if not client._gate.enter(self._call):
                raise Invalid("the client is closed")
            client._check_process()
            code = lib.dblock_acquire_begin(
                client._handle, name, byref(options), byref(self.wait), byref(self.error)
            )
            if code:
                fail(code, self.error)
        except BaseException:
            self.end()
            raise

    def step(self) -> int:
        return lib.dblock_wait_step(self.wait, byref(self.handle), byref(self.error))

    def end(self) -> None:
        if self.wait:
            lib.dblock_wait_end(self.wait)
            self.wait = n.WaitP()
        self.client._gate.inside.discard(self._call)

    def abandon(self, got: List[Grant]) -> None:
        """Nobody wants it any more: leaves the queue, and gives back what was granted."""
        try:
            if self.handle:
                self.client._abandon(self.handle, got)
            else:
                lib.dblock_wait_cancel(self.wait)
                lib.dblock_wait_finish(self.wait, byref(self.handle), byref(self.error))
        finally:
            self.end()


class AsyncLock:
    """What Client.alock() returns: to be awaited, or for `async with`, by any number of tasks."""

    def __init__(
        self, client: Client, name: bytes, options: Any, on_lost: Optional[OnLost]
    ) -> None:
        self._client = client
        self._name = name
        self._options = options
        self._on_lost = on_lost
        self._entries = Entries()

    def __await__(self) -> Generator[Any, None, Lock]:
        return self._acquire().__await__()

    async def _acquire(self) -> Lock:
        waiting = _Waiting(self._client, self._name, self._options)
        got: List[Grant] = []
        try:
            while (code := waiting.step()) == n.WAITING:
                await _readable(waiting)
            if code:
                fail(code, waiting.error)
            lock = Lock(self._client._adopt(waiting.handle, got), self._on_lost)
        except BaseException as exception:
            ended = _executor(self._client).submit(waiting.abandon, got)
            # The coroutine itself is closed: it cannot wait any more.
            if not isinstance(exception, GeneratorExit):
                await _in_any_case(ended)
            raise
        waiting.end()
        return lock

    async def __aenter__(self) -> Lock:
        lock = await self._acquire()
        self._entries.add(asyncio.current_task(), lock, until_left=True)
        return lock

    async def __aexit__(
        self, _type: Any, exception: Optional[BaseException], _traceback: Any
    ) -> None:
        entry = self._entries.find(asyncio.current_task(), lambda entry: entry.until_left)
        if not entry or not self._entries.drop(entry):
            raise RuntimeError("this task has not entered it")
        if entry.lock._released:
            return
        try:
            await release(entry.lock)
        except Error as error:
            if exception is None:
                raise
            chain(exception, error)


async def _readable(waiting: _Waiting) -> None:
    """Until a step is due."""
    fd = c_int()
    code = lib.dblock_wait_fd(waiting.wait, byref(fd), byref(waiting.error))
    if code:
        fail(code, waiting.error)
    loop = asyncio.get_running_loop()
    due = loop.create_future()

    def set_due() -> None:
        if not due.done():
            due.set_result(None)

    loop.add_reader(fd.value, set_due)
    try:
        await due
    finally:
        loop.remove_reader(fd.value)


async def _in_any_case(future: Future[Any]) -> Any:
    """Waits for what goes on though we are canceled: what is seen afterwards is that it is done."""
    wrapped = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(wrapped)
    except asyncio.CancelledError:
        await asyncio.wait([wrapped])
        if not wrapped.cancelled():
            wrapped.exception()  # Looked at: else asyncio complains.
        raise


async def release(lock: Lock) -> None:
    """Releases a lock beside the loop: Lock.release() would keep the loop for a round trip."""
    try:
        released = _executor(lock._grant.client).submit(lock.release)
    except RuntimeError:
        # Its threads have ended: the client is closed, and this says so.
        return lock.release()
    await _in_any_case(released)
