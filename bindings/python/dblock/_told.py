# SPDX-License-Identifier: MIT
"""What the library tells a client of, on threads of its own: losses, and how the session stands."""

from __future__ import annotations

import ctypes
import enum
import logging
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, NamedTuple, Optional

from . import _native as n
from ._errors import Error, error_of
from ._library import text
from ._lock import in_callback

if TYPE_CHECKING:
    from ._client import Client

_log = logging.getLogger("dblock")

#: The library tells by a number: what it has told, and nobody waits for, is nobody's.
clients: Dict[int, weakref.ReferenceType[Client]] = {}


class State(enum.IntEnum):
    """How a client's session stands, by its heartbeats."""

    #: It has none: it only looks.
    NONE = 0
    #: A new session has begun; it holds nothing yet.
    CONNECTED = 1
    #: A heartbeat failed, and is tried again.
    SUSPENDED = 2
    #: One got through again, in time: nothing was lost.
    RECONNECTED = 3
    #: The session is over, and so are the locks that lived by it.
    LOST = 4


class StateChange(NamedTuple):
    """What on_state is called with."""

    state: State
    #: The failure of the heartbeat, or what ended the session.
    why: Optional[Error]


OnState = Callable[[StateChange], object]


def address_of(handle: Any) -> int:
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _client(key: Optional[int]) -> Optional[Client]:
    return clients.get(key or 0, lambda: None)()


def _told_of_loss(key: Optional[int], handle: Any) -> None:
    client = _client(key)
    grant = client._grants.get(address_of(handle)) if client else None
    if grant:
        grant.tell()


def _told_of_state(key: Optional[int], state: int, why: Any) -> None:
    client = _client(key)
    if not client or not client._on_state:
        return
    c = why.contents if why else None
    error = error_of(c.code, text(c.message), text(c.sqlstate), c.native) if c else None
    in_callback.now = True
    try:
        client._on_state(StateChange(State(state), error))
    except Exception:
        _log.exception("on_state failed")
    finally:
        in_callback.now = False


on_loss = n.LostCallback(_told_of_loss)
on_state_changed = n.StateCallback(_told_of_state)
