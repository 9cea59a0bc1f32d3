# SPDX-License-Identifier: MIT
"""Who holds what, who waits, who leads; break a lock, reap what the dead left behind."""

from __future__ import annotations

from ctypes import byref, create_string_buffer
from typing import Any, Callable, Iterator, List, Optional, Tuple, TypeVar

from . import _native as n
from ._calls import apart, interruptible
from ._library import fail, lib, text
from ._told import State
from ._values import Holder, Leader, Reaped, Seconds, Waiter, duration, encoded, encoded_or_none
from ._values import integer, signed, waiting

T = TypeVar("T")


class Operator:
    """What a client can do besides locks; one that was opened to observe can do what only reads."""

    def _inside(self, function: Callable[[Any], Any]) -> Any:
        raise NotImplementedError

    def _do(self, allowed: Tuple[int, ...], function: Callable[..., int], *arguments: Any) -> int:
        """Calls it, and raises unless it says DBLOCK_OK or what is allowed."""
        error = n.dblock_error()
        code = self._inside(lambda client: function(client, *arguments, byref(error)))
        if code and code not in allowed:
            fail(code, error)
        return code

    def _collect(
        self,
        allowed: Tuple[int, ...],
        callback: Any,
        make: Callable[[Any], T],
        function: Callable[..., int],
        *arguments: Any,
    ) -> List[T]:
        """What a call that tells of one after another tells of."""
        items: List[T] = []
        raised: List[BaseException] = []

        def call(stop: Any) -> int:
            def found(_: Any, one: Any) -> int:
                try:
                    items.append(make(one.contents))
                except Exception as exception:
                    raised.append(exception)
                # What it says then is not looked at.
                return 99 if raised or stop.is_set() else 0

            error = n.dblock_error()
            code = self._inside(
                lambda client: function(client, *arguments, callback(found), None, byref(error))
            )
            if code and code not in allowed and not raised and not stop.is_set():
                fail(code, error)
            return code

        apart(call)
        if raised:
            raise raised[0]
        return items

    def list(
        self,
        pattern: Optional[str] = None,
        *,
        free_too: bool = False,
        after: Optional[str] = None,
        limit: int = 0,
    ) -> List[Holder]:
        """Grants, in byte order of names; the pattern knows * and ?."""
        options = n.dblock_list_options(
            pattern=encoded_or_none(pattern, "pattern"),
            after=encoded_or_none(after, "after"),
            limit=integer(limit, "limit"),
            free_too=free_too,
        )
        return self._collect((), n.HolderCallback, Holder._of, lib.dblock_list, byref(options))

    def show(self, name: str) -> List[Holder]:
        """One lock: each grant, or one Holder that is free; nothing if no such name is known."""
        c_name = encoded(name, "name")
        return self._collect((n.STALE,), n.HolderCallback, Holder._of, lib.dblock_show, c_name)

    def waiters(
        self, name: Optional[str] = None, *, pattern: Optional[str] = None, limit: int = 0
    ) -> List[Waiter]:
        """Who waits in the queue, of a name or of all; in each who came first."""
        options = n.dblock_waiters_options(
            name=encoded_or_none(name, "name"),
            pattern=encoded_or_none(pattern, "pattern"),
            limit=integer(limit, "limit"),
        )
        return self._collect((), n.WaiterCallback, Waiter._of, lib.dblock_waiters, byref(options))

    def leader(self, name: str) -> Optional[Leader]:
        """Who leads now; None: nobody."""
        c, c_name = n.dblock_leader(), encoded(name, "name")
        code = self._do((n.STALE,), lib.dblock_leader_of, c_name, byref(c))
        return None if code == n.STALE else Leader._of(c)

    def watch(
        self,
        name: str,
        *,
        wait: Optional[Seconds] = None,
        every: Optional[Seconds] = None,
    ) -> Iterator[Optional[Leader]]:
        """Who leads, each time that another one does, or its value is another; None: nobody.

        Begins with who leads now, if anybody does; ends if for `wait` nothing changes.
        """
        c, c_name, error = n.dblock_leader(), encoded(name, "name"), n.dblock_error()
        options = n.dblock_watch_options(wait_ms=waiting(wait), every_ms=duration(every, "every"))
        while True:
            code = self._inside(
                lambda client: interruptible(
                    options,
                    lambda: lib.dblock_leader_watch(
                        client, c_name, byref(options), byref(c), byref(error)
                    ),
                )
            )
            if code == n.TIMEOUT:
                return
            if code not in (n.OK, n.STALE):
                fail(code, error)
            yield None if code == n.STALE else Leader._of(c)

    def break_lock(
        self,
        name: str,
        token: int = 0,
        *,
        wait: Optional[Seconds] = None,
        force: bool = False,
    ) -> bool:
        """Takes the lock away from whoever holds it, who is told. False: nobody holds it.

        Raises Timeout if its holder has not let go by then; the break stands all the same.
        """
        c_name, error = encoded(name, "name"), n.dblock_error()
        options = n.dblock_break_options(
            token=integer(token, "token"), wait_ms=0 if wait is None else waiting(wait), force=force
        )
        code = self._inside(
            lambda client: interruptible(
                options, lambda: lib.dblock_break(client, c_name, byref(options), byref(error))
            )
        )
        if code not in (n.OK, n.STALE):
            fail(code, error)
        return code == n.OK

    def request_release(self, name: str, reason: str = "") -> bool:
        """Asks whoever holds the lock to let go of it. False: nobody holds it."""
        c_name, c_reason = encoded(name, "name"), encoded(reason, "reason")
        return self._do((n.STALE,), lib.dblock_request_release, c_name, c_reason) == n.OK

    def release_token(self, name: str, token: int) -> bool:
        """Releases a grant by its token, from any process. False: it does not hold the lock."""
        c_name, number = encoded(name, "name"), integer(token, "token")
        return self._do((n.STALE,), lib.dblock_release_token, c_name, number) == n.OK

    def extend_token(self, name: str, token: int, lease: Seconds) -> bool:
        """Extends a lease by its token, from any process. False: it does not hold the lock."""
        c_name, number = encoded(name, "name"), integer(token, "token")
        ms = duration(lease, "lease")
        return self._do((n.STALE,), lib.dblock_extend_token, c_name, number, ms) == n.OK

    def reap(
        self,
        *,
        local: bool = False,
        purge_after: Optional[Seconds] = None,
        keep_marks: Optional[Seconds] = None,
        max_time: Optional[Seconds] = None,
    ) -> Reaped:
        """One pass of the reaper; a time of 0 is "at once"."""
        options = n.dblock_reap_options(
            local=local,
            purge_after_ms=signed(purge_after, "purge_after"),
            keep_marks_ms=signed(keep_marks, "keep_marks"),
            max_time_ms=signed(max_time, "max_time"),
        )
        reaped, error = n.dblock_reaped(), n.dblock_error()
        code = self._inside(
            lambda client: interruptible(
                options,
                lambda: lib.dblock_reap(client, byref(options), byref(reaped), byref(error)),
            )
        )
        if code:
            fail(code, error)
        return Reaped._of(reaped)

    @property
    def tables_version(self) -> int:
        """The number of the newest of dblock's migrations that its tables had at the opening."""
        return self._inside(lambda client: lib.dblock_tables_version(client, None))

    @property
    def state(self) -> State:
        """How the session stands at this moment. Read from memory."""
        return State(self._inside(lib.dblock_connection_state_of))

    @property
    def session_id(self) -> str:
        """As Holder.session; another one after a loss of the session. Read from memory."""
        c = create_string_buffer(n.SESSION_ID_SIZE)
        self._do((), lib.dblock_session_id, c)
        return text(c.value)
