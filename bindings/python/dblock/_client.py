# SPDX-License-Identifier: MIT
"""A client: an open handle on a database, one session in it."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import threading
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Type, TypeVar
from typing import Union

from . import _native as n
from ._aio import AsyncLock
from ._calls import Call, Gate, interruptible
from ._errors import Busy, Error, Forked, Invalid
from ._library import fail, lib
from ._lock import Grant, Lock, OnLost, Slot, in_callback
from ._mutex import Mutex
from ._operator import Operator
from ._options import acquire_options
from ._told import OnState, address_of, clients, on_loss, on_state_changed
from ._values import LockSpec, Seconds, array_of, callable_or_none, duration, encoded
from ._values import encoded_or_none, integer, owner_of, waiting

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import AcquireOptions

L = TypeVar("L", bound=Lock)

_keys = itertools.count(1)


def _program() -> Optional[bytes]:
    """What people know the program by, which is not that Python runs it; None: they do not."""
    name = os.path.basename(sys.argv[0]) if sys.argv else ""
    if not name.isprintable() or name[:1] in ("", "-") or len(name.encode("utf-8", "replace")) > 63:
        return None
    return name.encode("utf-8", "replace")


def _dispose(key: int, handle: Any, pid: int, gate: Gate) -> None:
    """Nobody closed the client, and nobody has it any more; or the program ends."""
    clients.pop(key, None)
    if os.getpid() != pid:
        return
    warnings.warn("a dblock client was not closed", ResourceWarning, stacklevel=2)
    gate.is_shut = True
    lib.dblock_shutdown(handle)
    # What threads are still in stays: it ends with the process.
    if gate.wait(1):
        lib.dblock_close(handle, None)


class Client(Operator):
    """A client. `with` closes it, as does close(). Any number of threads may use it."""

    def __init__(
        self,
        url: str,
        *,
        ttl: Optional[Seconds] = None,
        timeout: Optional[Seconds] = None,
        app: Optional[str] = None,
        prefix: Optional[str] = None,
        schema: Optional[str] = None,
        durability: Optional[str] = None,
        auto_migrate: bool = False,
        observe: bool = False,
        connections: int = 0,
        park: bool = False,
        on_state: Optional[OnState] = None,
    ) -> None:
        if durability not in n.DURABILITIES:
            raise Invalid("durability: %r is none of durable, relaxed, remote" % durability)
        tuning = n.dblock_tuning(park=park, connections=integer(connections, "connections"))
        options = n.dblock_client_options(
            ttl_ms=duration(ttl, "ttl"),
            timeout_ms=duration(timeout, "timeout"),
            app=_program() if app is None else encoded(app, "app"),
            prefix=encoded_or_none(prefix, "prefix"),
            schema=encoded_or_none(schema, "schema"),
            durability=n.DURABILITIES[durability],
            auto_migrate=auto_migrate,
            observe=observe,
            tuning=ctypes.pointer(tuning),
        )
        self._on_state = callable_or_none(on_state, "on_state")
        self._pid = os.getpid()
        self._gate = Gate()
        self._mutex = threading.Lock()
        self._closing = threading.Lock()
        self._grants: Dict[int, Grant] = {}
        self._executor: Optional[ThreadPoolExecutor] = None
        self._key = next(_keys)
        self._handle = n.ClientP()
        if on_state:
            options.state_changed, options.state_changed_arg = on_state_changed, self._key
        c_url, error = encoded(url, "url"), n.dblock_error()
        # Before it is open: from then on it is told of states.
        clients[self._key] = weakref.ref(self)
        code = lib.dblock_open(c_url, byref(options), byref(self._handle), byref(error))
        if code:
            del clients[self._key]
            fail(code, error)
        self._keep()

    def _keep(self) -> None:
        """It is open: its end, or the program's, closes it if nobody does."""
        clients[self._key] = weakref.ref(self)
        self._finalizer = weakref.finalize(
            self, _dispose, self._key, self._handle, self._pid, self._gate
        )

    # --- calls -----------------------------------------------------------------------------------

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise Forked("the client belongs to the parent process: open another one here")

    def _is_usable(self) -> bool:
        return not self._gate.is_shut and os.getpid() == self._pid

    def _inside(self, function: Callable[[Any], Any]) -> Any:
        """Calls it with the handle, which is not freed meanwhile."""
        call = Call()
        try:
            if not self._gate.enter(call):
                raise Invalid("the client is closed")
            self._check_process()
            return function(self._handle)
        finally:
            self._gate.inside.discard(call)

    def _locked(self) -> threading.Lock:
        """The mutex of what Python knows of the grants. In a child it may be locked for ever."""
        self._check_process()
        return self._mutex

    # --- grants ----------------------------------------------------------------------------------

    def _adopt(self, handle: Any, got: List[Grant]) -> Grant:
        """The grant of a handle that the library gave: a new one, or one that was entered again."""
        address = address_of(handle)
        fresh = Grant(self, handle, address)
        with self._locked():
            grant = self._grants.get(address) or fresh
            # A signal's handler may raise where something is called: not between these.
            self._grants[address] = grant
            grant.count += 1
            got[:] = [grant]
        return grant

    def _forget(self, grant: Grant) -> bool:
        """One acquire less. True if it was the last one: the handle will be gone."""
        with self._locked():
            grant.count -= 1
            if grant.count == 0 and self._grants.get(grant.address) is grant:
                del self._grants[grant.address]
            return grant.count == 0

    def _abandon(self, handle: Any, got: List[Grant]) -> None:
        """Somebody was granted it, and cannot have it any more."""
        try:
            if got:
                got[0].release()
            else:
                self._inside(lambda _: lib.dblock_release(handle, None))
        except Error:
            pass

    def _take(
        self,
        options: Any,
        call: Callable[..., int],
        make: Type[L],
        on_lost: Optional[OnLost],
    ) -> L:
        """Acquires by a call that gets the client, the new handle and the error."""
        callable_or_none(on_lost, "on_lost")
        options.lost, options.lost_arg = on_loss, self._key
        handle, error = n.LockP(), n.dblock_error()
        got: List[Grant] = []
        try:
            code = self._inside(
                lambda client: interruptible(
                    options, lambda: call(client, byref(handle), byref(error))
                )
            )
            if code:
                fail(code, error)
            return make(self._adopt(handle, got), on_lost)
        except BaseException:
            # A signal's handler may raise between any two lines.
            if handle:
                self._abandon(handle, got)
            raise

    # --- locks -----------------------------------------------------------------------------------

    def lock(
        self, name: str, *, on_lost: Optional[OnLost] = None, **options: Unpack[AcquireOptions]
    ) -> Lock:
        """Takes the lock, waiting for it: see docs/user/python.md for the options.

        Raises Timeout, Deadlock, Canceled; with wait=0 Busy.
        """
        c_name, c = encoded(name, "name"), acquire_options(options)
        return self._take(
            c,
            lambda client, lock, error: lib.dblock_acquire(client, c_name, byref(c), lock, error),
            Lock,
            on_lost,
        )

    def try_lock(
        self, name: str, *, on_lost: Optional[OnLost] = None, **options: Unpack[AcquireOptions]
    ) -> Optional[Lock]:
        """Takes the lock if it is free now; else None."""
        try:
            options["wait"] = 0
            return self.lock(name, on_lost=on_lost, **options)
        except Busy:
            return None

    def lock_all(
        self,
        names: Iterable[Union[str, LockSpec]],
        *,
        on_lost: Optional[OnLost] = None,
        **options: Unpack[AcquireOptions],
    ) -> Lock:
        """Takes all of these locks, or none: names, or LockSpecs."""
        specs, c = array_of(names), acquire_options(options)
        return self._take(
            c,
            lambda client, lock, error: lib.dblock_acquire_all(
                client, specs, len(specs), byref(c), lock, error
            ),
            Lock,
            on_lost,
        )

    def once(
        self,
        name: str,
        slot: str,
        *,
        on_lost: Optional[OnLost] = None,
        **options: Unpack[AcquireOptions],
    ) -> Slot:
        """Takes a slot of a job, to do it. Raises Done if it has been done before."""
        c_name, c_slot = encoded(name, "name"), encoded(slot, "slot")
        c = acquire_options(options)
        return self._take(
            c,
            lambda client, lock, error: lib.dblock_once(
                client, c_name, c_slot, byref(c), lock, error
            ),
            Slot,
            on_lost,
        )

    def elect(
        self,
        name: str,
        value: Optional[str] = None,
        *,
        wait: Optional[Seconds] = None,
        on_lost: Optional[OnLost] = None,
        owner: int = 0,
    ) -> Lock:
        """Stands for election until it leads, also while the database cannot be reached."""
        c_name = encoded(name, "name")
        c = n.dblock_elect_options(
            value=encoded_or_none(value, "value"), wait_ms=waiting(wait), owner=owner_of(owner)
        )
        return self._take(
            c,
            lambda client, lock, error: lib.dblock_elect(client, c_name, byref(c), lock, error),
            Lock,
            on_lost,
        )

    def mutex(self, name: str, **options: Unpack[AcquireOptions]) -> Mutex:
        """Something like threading.Lock, but for all clients of the database: not taken yet."""
        return Mutex(self, name, options)

    def alock(
        self, name: str, *, on_lost: Optional[OnLost] = None, **options: Unpack[AcquireOptions]
    ) -> AsyncLock:
        """For asyncio: `async with client.alock(name) as lock`, or `lock = await ...`."""
        c = acquire_options(options)
        c.lost, c.lost_arg = on_loss, self._key
        return AsyncLock(self, encoded(name, "name"), c, callable_or_none(on_lost, "on_lost"))

    # --- the end ---------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """Ends all waits of the client, for ever, with Canceled; all else goes on."""
        self._inside(lib.dblock_shutdown)

    def close(self) -> None:
        """Gives back what lives by its session, and ends the waits of other threads.

        A second call does nothing, nor does one in a child of the process that opened it. If it is
        refused, nothing is closed, but waits are ended as by shutdown().
        """
        if os.getpid() != self._pid:
            return
        if getattr(in_callback, "now", False):
            raise Invalid("a client cannot be closed in a callback")
        with self._closing:
            if not self._finalizer.alive:
                return
            self._gate.shut()
            lib.dblock_shutdown(self._handle)
            self._gate.wait()
            self._finalizer.detach()
            clients.pop(self._key, None)
            error = n.dblock_error()
            code = lib.dblock_close(self._handle, byref(error))
            if code:
                self._keep()
                self._gate.open_again()
                fail(code, error)
        if self._executor:
            self._executor.shutdown(wait=False)

    @property
    def closed(self) -> bool:
        return not self._is_usable()

    def __enter__(self: Any) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


#: Opens a client: connects, checks the tables, writes the session, starts the heartbeat.
connect = Client
