# SPDX-License-Identifier: MIT
"""What is held."""

from __future__ import annotations

import logging
import threading
from ctypes import byref
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple

from . import _native as n
from ._calls import Call, Gate, interruptible
from ._errors import Error, Forked, Invalid, Lost
from ._library import fail, lib, text
from ._values import Loss, Member, Mode, Seconds, duration, encoded_or_none, integer
from ._values import signed, waiting

if TYPE_CHECKING:
    from ._client import Client

_log = logging.getLogger("dblock")

#: Whether this thread is in a callback, where a client must not be closed.
in_callback = threading.local()

OnLost = Callable[["Lock"], object]


class Grant:
    """A handle of the library, which several locks share if their thread has entered it again."""

    def __init__(self, client: Client, handle: Any, address: int) -> None:
        self.client = client
        self.handle = handle
        self.address = address
        self.count = 0
        self.lost = threading.Event()
        self.to_tell: List[Tuple[OnLost, Lock]] = []
        self._gate = Gate()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls it with the handle, unless that is gone."""
        call = Call()
        try:
            if not self._gate.enter(call):
                raise Invalid("the lock is released")
            return self.client._inside(lambda _: function(self.handle, *arguments))
        finally:
            self._gate.inside.discard(call)

    def do(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls it, and raises unless it says DBLOCK_OK."""
        error = n.dblock_error()
        code = self.call(function, *arguments, byref(error))
        if code:
            fail(code, error)

    def release(self) -> None:
        """Gives back one acquire; with the last one the library frees the handle."""
        if not self.client._forget(self):
            return self.do(lib.dblock_release)
        self._gate.shut()
        self._gate.wait()
        self._last(lib.dblock_release)

    def done(self) -> None:
        """As release(), but it stays as it is unless that says DBLOCK_OK or DBLOCK_LOST."""
        self._gate.shut()
        self._gate.wait()
        try:
            self._last(lib.dblock_once_done)
        except Lost:
            self.client._forget(self)
            raise
        except BaseException:
            self._gate.open_again()
            raise
        self.client._forget(self)

    def _last(self, function: Callable[..., Any]) -> None:
        error = n.dblock_error()
        code = self.client._inside(lambda _: function(self.handle, byref(error)))
        if code:
            fail(code, error)

    def tell(self) -> None:
        """It is lost: says so to all who want to know, once."""
        with self.client._locked():
            self.lost.set()
            to_tell, self.to_tell = self.to_tell, []
        for callback, lock in to_tell:
            in_callback.now = True
            try:
                callback(lock)
            except Exception:
                _log.exception("on_lost of the lock '%s' failed", lock.name)
            finally:
                in_callback.now = False


class Lock:
    """A lock that is held. `with` gives it back, as do release() and Client.close()."""

    def __init__(self, grant: Grant, on_lost: Optional[OnLost] = None) -> None:
        self._grant = grant
        self._released = False
        #: A threading.Event that is set when the lock is lost.
        self.lost: threading.Event = grant.lost
        #: The name; of several, all of them, with ", " between.
        self.name: str = text(grant.call(lib.dblock_name))
        #: The fencing token as of the grant's beginning, or of the last upgrade().
        self.token: int = grant.call(lib.dblock_token)
        if on_lost:
            with grant.client._locked():
                grant.to_tell.append((on_lost, self))
        # Told before anybody here could hear it?
        if grant.call(lib.dblock_loss_of, byref(n.dblock_loss())) == n.LOST:
            grant.tell()

    def __repr__(self) -> str:
        state = "released" if self._released else "held" if self.valid() else "lost"
        return "<dblock.%s '%s' token=%d %s>" % (type(self).__name__, self.name, self.token, state)

    def _read(self, function: Callable[..., Any], *arguments: Any, gone: Any) -> Any:
        """What the library knows from memory; of a lock that is gone, `gone`."""
        if self._released:
            return gone
        try:
            return self._grant.call(function, *arguments)
        except (Invalid, Forked):
            return gone

    def _do(self, function: Callable[..., Any], *arguments: Any) -> None:
        if self._released:
            raise Invalid("the lock '%s' is released" % self.name)
        self._grant.do(function, *arguments)

    def valid(self, need: Seconds = 0) -> bool:
        """Is it certainly still held, and for so many seconds more? Read from memory."""
        return bool(self._read(lib.dblock_valid, duration(need, "need", zero=True), gone=False))

    @property
    def remaining(self) -> float:
        """Seconds until valid() turns false, unless renewed; 0 if it is. Read from memory."""
        return self._read(lib.dblock_remaining_ms, gone=0) / 1000

    @property
    def release_requested(self) -> bool:
        """Has its holder been asked to let go? Read from memory."""
        return bool(self._read(lib.dblock_release_requested, gone=False))

    @property
    def mode(self) -> Mode:
        """How it is held; of what is released, exclusive."""
        return Mode(self._read(lib.dblock_mode_of, gone=0))

    @property
    def loss(self) -> Optional[Loss]:
        """Why it is lost; None if it is not."""
        loss = n.dblock_loss()
        if self._read(lib.dblock_loss_of, byref(loss), gone=n.OK) != n.LOST:
            return None
        return Loss._of(loss)

    def check(self, need: Seconds = 0) -> None:
        """Raises Lost unless it is valid()."""
        if self.valid(need):
            return
        loss = self.loss
        if loss:
            raise Lost("the lock '%s' is lost: %s" % (self.name, loss.text))
        if self._released or not self._grant.client._is_usable():
            raise Lost("the lock '%s' is not held here any more" % self.name)
        raise Lost("the lock '%s' is not certain to be held for so long" % self.name)

    @property
    def members(self) -> List[Member]:
        """The locks that it is, in byte order of their names: one, or those of lock_all()."""
        return list(self._members())

    def _members(self) -> Iterator[Member]:
        member = n.dblock_member()
        index = 0
        while self._read(lib.dblock_member_of, index, byref(member), gone=False):
            yield Member(text(member.name), member.token, Mode(member.mode))
            index += 1

    def extend(self, seconds: Seconds) -> None:
        """Gives a lease a new end: so many seconds from now, also if that is sooner."""
        self._do(lib.dblock_extend, duration(seconds, "seconds"))

    def proclaim(self, value: Optional[str]) -> None:
        """Changes the value that others read."""
        self._do(lib.dblock_proclaim, encoded_or_none(value, "value"))

    def upgrade(self, wait: Optional[Seconds] = None, deadlock: Optional[Seconds] = None) -> None:
        """Makes a shared or update grant exclusive, waiting for others to let go."""
        options = n.dblock_upgrade_options(
            wait_ms=waiting(wait), deadlock_ms=signed(deadlock, "deadlock")
        )
        error = n.dblock_error()
        if self._released:
            raise Invalid("the lock '%s' is released" % self.name)
        code = self._grant.call(
            lambda handle: interruptible(
                options, lambda: lib.dblock_upgrade(handle, byref(options), byref(error))
            )
        )
        self.token = self._read(lib.dblock_token, gone=self.token)
        if code:
            fail(code, error)

    def downgrade(self, mode: Mode = Mode.SHARED) -> None:
        """Goes on in a weaker mode, with nobody in between."""
        self._do(lib.dblock_downgrade, integer(mode, "mode"))

    def release(self) -> None:
        """Gives it back. Raises Lost if it had been lost before; then, too, it is given back."""
        self._take().release()

    def _take(self) -> Grant:
        """The grant, for who gives it back: once."""
        grant = self._grant
        with grant.client._locked():
            if self._released:
                raise Invalid("the lock '%s' is released" % self.name)
            self._released = True
            grant.to_tell = [one for one in grant.to_tell if one[1] is not self]
        return grant

    def __enter__(self: Any) -> Any:
        return self

    def _leave(self, failed: bool) -> None:
        if not self._released:
            self.release()

    def __exit__(self, _type: Any, exception: Optional[BaseException], _traceback: Any) -> None:
        try:
            self._leave(exception is not None)
        except Error as error:
            if exception is None:
                raise
            chain(exception, error)


class Slot(Lock):
    """A slot of a job, to be done: `with` marks it as done, unless it is left by an exception."""

    def __init__(self, grant: Grant, on_lost: Optional[OnLost] = None) -> None:
        super().__init__(grant, on_lost)
        #: The slot.
        self.slot: str = text(grant.call(lib.dblock_once_slot))

    def done(self) -> None:
        """Marks it as done, and releases the lock. Raises Lost if somebody has taken over.

        After any other exception it is still held, and this may be called again.
        """
        grant = self._take()
        try:
            grant.done()
        except Lost:
            raise
        except BaseException:
            self._released = False
            raise

    def _leave(self, failed: bool) -> None:
        if self._released:
            return
        if failed:
            self.release()
        else:
            self.done()


def chain(exception: BaseException, error: Error) -> None:
    """Shows what the release said as well, where another exception is under way: before that."""
    if error.__context__ is exception:
        error.__context__ = None
    seen = {id(error)}
    last = exception
    while last.__context__ is not None and id(last) not in seen:
        seen.add(id(last))
        last = last.__context__
    if id(last) not in seen:
        last.__context__ = error
