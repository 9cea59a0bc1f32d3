# SPDX-License-Identifier: MIT
"""What goes in and out: times in seconds, texts, and what the database tells of others."""

from __future__ import annotations

import ctypes
import enum
import math
import operator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Iterable, Optional, Tuple, TypeVar, Union

from . import _native as n
from ._errors import Invalid
from ._library import text

#: A time: seconds, or a timedelta.
Seconds = Union[int, float, timedelta]

C = TypeVar("C")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_INT64_MAX = (1 << 63) - 1


def _milliseconds(value: Seconds, what: str) -> int:
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    try:
        # Up: what is asked for is not cut short, and little is not nothing.
        ms = math.ceil(seconds * 1000)
    except (OverflowError, ValueError):
        raise Invalid("%s: %r is no time" % (what, value)) from None
    except TypeError:
        raise _unwanted(what, "a number of seconds or a timedelta", value) from None
    return integer(ms, what)


def _unwanted(what: str, wanted: str, value: object) -> TypeError:
    return TypeError("%s: %s is wanted, not %s" % (what, wanted, type(value).__name__))


def integer(value: int, what: str, least: int = -_INT64_MAX, most: int = _INT64_MAX) -> int:
    """ctypes cuts what does not fit, and says nothing."""
    try:
        number = operator.index(value)
    except TypeError:
        raise _unwanted(what, "an int", value) from None
    if not least <= number <= most:
        raise Invalid("%s: %r does not fit 64 bits" % (what, value))
    return number


def priority_of(value: int) -> int:
    """C knows the bounds; here it only has to fit."""
    return max(-1000, min(1000, integer(value, "priority")))


def owner_of(value: int) -> int:
    """Any number of 64 bits; 0: the thread."""
    return integer(value, "owner", 0, (1 << 64) - 1)


def duration(value: Optional[Seconds], what: str, zero: bool = False) -> int:
    """Milliseconds; None is the library's default, for which it takes 0. zero: so is 0 seconds."""
    if value is None:
        return 0
    ms = _milliseconds(value, what)
    if ms < 0 or (ms == 0 and not zero):
        raise Invalid("%s: %r is too short" % (what, value))
    return ms


def signed(value: Optional[Seconds], what: str) -> int:
    """Likewise, where less than 0 has a meaning of its own, and 0 is as little as there is."""
    if value is None:
        return 0
    return _milliseconds(value, what) or -1


def waiting(value: Optional[Seconds]) -> int:
    """How long a call waits: None: as long as it takes; 0: not at all."""
    if value is None or value == math.inf:
        return n.FOREVER
    return duration(value, "wait", zero=True) or n.NO_WAIT


def encoded(value: str, what: str) -> bytes:
    """For C, where a text ends with its first NUL."""
    if not isinstance(value, str):
        raise _unwanted(what, "a str", value)
    try:
        data = value.encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid("%s: %r cannot be written in UTF-8" % (what, value)) from None
    if b"\0" in data:
        raise Invalid("%s: %r has a NUL in it" % (what, value))
    return data


def callable_or_none(value: C, what: str) -> C:
    if value is not None and not callable(value):
        raise _unwanted(what, "what can be called", value)
    return value


def encoded_or_none(value: Optional[str], what: str) -> Optional[bytes]:
    return None if value is None else encoded(value, what)


def _time(us: int) -> Optional[datetime]:
    return _EPOCH + timedelta(microseconds=us) if us else None


def _seconds(ms: int) -> Optional[float]:
    return None if ms == n.UNKNOWN_MS else ms / 1000


class Mode(enum.IntEnum):
    """How a lock is held."""

    EXCLUSIVE = 0
    SHARED = 1
    UPDATE = 2
    PERMITS = 3


class Hold(enum.IntEnum):
    """Why a name is taken."""

    FREE = 0
    SESSION = 1
    LEASE = 2
    MINIMUM = 3


class Cause(enum.IntEnum):
    """What ended a grant before its release."""

    NONE = 0
    UNREACHABLE = 1
    LEASE = 2
    BROKEN = 3
    RELEASED = 4
    FORGOTTEN = 5
    DECLARED_DEAD = 6
    UNKNOWN = 7
    HANDED_OFF = 8


def mode_of(
    shared: bool = False, update: bool = False, permits: Optional[Tuple[int, int]] = None
) -> Tuple[int, int, int]:
    """The mode, so many permits, of so many."""
    if bool(shared) + bool(update) + (permits is not None) > 1:
        raise Invalid("shared, update and permits exclude each other")
    if permits is None:
        return (Mode.SHARED if shared else Mode.UPDATE if update else Mode.EXCLUSIVE), 0, 0
    try:
        count, capacity = permits
    except (TypeError, ValueError):
        raise TypeError(
            "permits: two numbers are wanted, so many of so many, not %r" % (permits,)
        ) from None
    if integer(count, "permits") < 1:
        raise Invalid("permits: %r is too few" % count)
    return Mode.PERMITS, integer(count, "permits"), integer(capacity, "permits")


@dataclass(frozen=True)
class LockSpec:
    """One of the locks that Client.lock_all() is to take."""

    name: str
    shared: bool = False
    update: bool = False
    permits: Optional[Tuple[int, int]] = None


@dataclass(frozen=True)
class Member:
    """One of the locks that a handle holds."""

    name: str
    token: int
    mode: Mode


@dataclass(frozen=True)
class Loss:
    """Why a lock is lost, when, and by whom."""

    cause: Cause
    at: Optional[datetime]
    host: str
    pid: int
    app: str
    text: str

    @classmethod
    def _of(cls, c: n.dblock_loss) -> Loss:
        return cls(Cause(c.cause), _time(c.at_us), text(c.host), c.pid, text(c.app), text(c.text))


@dataclass(frozen=True)
class Leader:
    """Who leads."""

    token: int
    value: str
    host: str
    pid: int
    app: str
    since: Optional[datetime]

    @classmethod
    def _of(cls, c: n.dblock_leader) -> Leader:
        return cls(c.token, text(c.value), text(c.host), c.pid, text(c.app), _time(c.since_us))


@dataclass(frozen=True)
class Holder:
    """One grant of a lock, or a lock that is free, as read; by the database's clock."""

    name: str
    hold: Hold
    token: int
    host: str
    pid: int
    thread: int
    app: str
    session: str
    session_dead: bool
    session_missing: bool
    acquired: Optional[datetime]
    expires: Optional[datetime]
    #: Seconds until then, less than 0 if it is over; None: unknown.
    left: Optional[float]
    #: Seconds for which it has been held; None: unknown.
    held: Optional[float]
    value: str
    #: So many calls wait for it.
    waiting: int
    mode: Mode
    permits: int
    capacity: int
    #: Its holder is asked to let go.
    release_requested: bool
    #: It is being taken away.
    taken: bool

    @classmethod
    def _of(cls, c: n.dblock_holder) -> Holder:
        return cls(
            name=text(c.name), hold=Hold(c.hold), token=c.token, host=text(c.host), pid=c.pid,
            thread=c.thread, app=text(c.app), session=text(c.session),
            session_dead=c.session_dead, session_missing=c.session_missing,
            acquired=_time(c.acquired_us), expires=_time(c.expires_us),
            left=_seconds(c.left_ms), held=_seconds(c.held_ms), value=text(c.value),
            waiting=c.waiting, mode=Mode(c.mode), permits=c.permits, capacity=c.capacity,
            release_requested=bool(c.request), taken=bool(c.taken),
        )  # fmt: skip


@dataclass(frozen=True)
class Waiter:
    """One call that waits in the queue for a lock, as read; by the database's clock."""

    name: str
    #: In the queue, 1: next; 0: it does not count.
    place: int
    ticket: int
    host: str
    pid: int
    thread: int
    app: str
    session: str
    session_dead: bool
    session_missing: bool
    session_late: bool
    since: Optional[datetime]
    #: Seconds since then.
    waited: float
    #: The lease that it asks for, in seconds; None: it asks for none.
    lease: Optional[float]
    value: str
    mode: Mode
    permits: int
    capacity: int
    priority: int

    @classmethod
    def _of(cls, c: n.dblock_waiter) -> Waiter:
        return cls(
            name=text(c.name), place=c.place, ticket=c.ticket, host=text(c.host), pid=c.pid,
            thread=c.thread, app=text(c.app), session=text(c.session),
            session_dead=c.session_dead, session_missing=c.session_missing,
            session_late=c.session_late, since=_time(c.since_us), waited=c.waiting_ms / 1000,
            lease=c.lease_ms / 1000 if c.lease_ms else None, value=text(c.value),
            mode=Mode(c.mode), permits=c.permits, capacity=c.capacity, priority=c.priority,
        )  # fmt: skip


@dataclass(frozen=True)
class Reaped:
    """What one pass of the reaper did."""

    sessions_buried: int
    locks_freed: int
    sessions_deleted: int
    names_purged: int
    marks_deleted: int
    sessions_watched: int

    @classmethod
    def _of(cls, c: n.dblock_reaped) -> Reaped:
        return cls(*(getattr(c, field) for field, *_ in c._fields_[1:]))


def array_of(specs: Iterable[Union[str, LockSpec]]) -> ctypes.Array[n.dblock_lock_spec]:
    """For C, of names and LockSpecs."""
    # Each letter would be a name.
    if isinstance(specs, str):
        raise TypeError("names: a list of them is wanted: [%r]" % specs)
    if not isinstance(specs, Iterable):
        raise _unwanted("names", "a list", specs)
    wanted = [LockSpec(s) if isinstance(s, str) else s for s in specs]
    for spec in wanted:
        if not isinstance(spec, LockSpec):
            raise _unwanted("names", "a str or a LockSpec", spec)
    array = (n.dblock_lock_spec * len(wanted))()
    for c, spec in zip(array, wanted):
        c.name = encoded(spec.name, "name")
        c.mode, c.permits, c.capacity = mode_of(spec.shared, spec.update, spec.permits)
    return array
