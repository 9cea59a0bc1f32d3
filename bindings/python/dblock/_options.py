# SPDX-License-Identifier: MIT
"""How a lock is acquired."""

from __future__ import annotations

from typing import Optional, Tuple, TypedDict

from . import _native as n
from ._errors import Invalid
from ._values import Seconds, duration, encoded_or_none, mode_of, signed, waiting


class AcquireOptions(TypedDict, total=False):
    """The options of Client.lock(), and of what is like it."""

    #: How long to wait; default, and None: as long as it takes; 0: not at all.
    wait: Optional[Seconds]
    #: The grant has an end of its own, and outlives the client.
    lease: Optional[Seconds]
    #: Released before then, the name is kept taken until then.
    at_least: Optional[Seconds]
    #: A text, shown to others.
    value: Optional[str]
    #: Re-entry by this number instead of by the calling thread.
    owner: int
    #: Take it if it is free, also if others wait for it.
    unfair: bool
    #: Together with others that share.
    shared: bool
    #: Together with readers, to be upgraded.
    update: bool
    #: So many permits of a semaphore that has so many.
    permits: Optional[Tuple[int, int]]
    #: After so long it looks for a deadlock; less than 0: never.
    deadlock: Optional[Seconds]
    #: After the release the client keeps it for so long, unless others want it.
    idle: Optional[Seconds]
    #: If this process ends, nobody gets it for so long.
    settle: Optional[Seconds]


def acquire_options(
    *,
    wait: Optional[Seconds] = None,
    lease: Optional[Seconds] = None,
    at_least: Optional[Seconds] = None,
    value: Optional[str] = None,
    owner: int = 0,
    unfair: bool = False,
    shared: bool = False,
    update: bool = False,
    permits: Optional[Tuple[int, int]] = None,
    deadlock: Optional[Seconds] = None,
    idle: Optional[Seconds] = None,
    settle: Optional[Seconds] = None,
) -> n.dblock_acquire_options:
    """The options of an acquire, for C."""
    mode, count, capacity = mode_of(shared, update, permits)
    if not 0 <= owner < 1 << 64:
        raise Invalid("owner: %r does not fit 64 bits" % owner)
    return n.dblock_acquire_options(
        wait_ms=waiting(wait),
        lease_ms=duration(lease, "lease"),
        at_least_ms=duration(at_least, "at_least", zero=True),
        value=encoded_or_none(value, "value"),
        owner=owner,
        unfair=unfair,
        mode=mode,
        permits=count,
        capacity=capacity,
        deadlock_ms=signed(deadlock, "deadlock"),
        idle_ms=duration(idle, "idle", zero=True),
        settle_ms=duration(settle, "settle", zero=True),
    )
