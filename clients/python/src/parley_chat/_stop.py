"""How one thread ends the waits of others."""

from __future__ import annotations

import queue
import socket
import threading
import weakref
from typing import Any


class Stop:
    """A stop that ends waits at once: pauses, and reads of the sockets that it knows.

    `set` may be called from any thread and from the handler of a signal, because it waits for no lock.
    """

    def __init__(self) -> None:
        self.is_set = False
        self._wakeups: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._sockets: list[weakref.ref[socket.socket]] = []
        self._adding = threading.Lock()

    def set(self) -> None:
        """Ends every wait, now and later."""
        self.is_set = True
        self._wakeups.put(None)
        self.cut()

    def wait(self, seconds: float) -> bool:
        """Waits for the time or the stop. Returns whether it is stopped."""
        if self.is_set:
            return True
        try:
            self._wakeups.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return self.is_set
        # Another thread may wait, too.
        self._wakeups.put(None)
        return True

    def watch(self, event: str, info: dict[str, Any]) -> None:
        """Remembers the connections that are opened (a `trace` function of httpx)."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        found = info["return_value"].get_extra_info("socket")
        if not isinstance(found, socket.socket):
            return
        with self._adding:
            self._sockets = [known for known in self._sockets if known() is not None] + [weakref.ref(found)]
        if self.is_set:
            _shut_down(found)

    def cut(self) -> None:
        """Breaks the connections, so that reads of them fail at once."""
        for known in self._sockets:
            found = known()
            if found is not None:
                _shut_down(found)


def _shut_down(connection: socket.socket) -> None:
    try:
        # Not the method of SSLSocket, which would take the encryption from a thread that is reading.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError:
        # It is closed already.
        pass
