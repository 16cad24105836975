"""A small server with the agent's inbox in memory, for tests of what the clients make of answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from parley_chat.models import InboxItem

Answer = tuple[int, dict[str, Any]]
Handler = Callable[[str, str, dict[str, Any]], Answer | None]

KEY = "ply_standin00000_secret"


def error(code: str, status: int, **fields: Any) -> Answer:
    """The answer of a refusal."""
    retryable = status in (429, 502, 503)
    return status, {"success": False, "error": "No.", "code": code, "retryable": retryable, **fields}


class StandIn:
    """`handler` may answer any request first: it gets method, path and fields, and returns None to leave it alone. The
    body of its answer is sent as JSON, or its `bytes` as they are; `missing` more are promised and never sent."""

    def __init__(self, handler: Handler = lambda method, path, fields: None) -> None:
        self.handler = handler
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        self.sent: dict[str, str] = {}
        self._items: dict[int, InboxItem] = {}
        self._changed = threading.Condition()
        stand_in = self

        class Requests(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                stand_in._serve(self)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> StandIn:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def pending(self) -> list[int]:
        """The ids of the items that are not acknowledged."""
        with self._changed:
            return sorted(self._items)

    def add(self, *item_ids: int) -> None:
        """Puts mentions into the inbox."""
        self.put(*map(item, item_ids))

    def put(self, *items: InboxItem) -> None:
        with self._changed:
            for added in items:
                self._items[added["item_id"]] = added
            self._changed.notify_all()

    def count(self, path: str) -> int:
        """How many requests a path has had."""
        return sum(1 for _, requested, _ in self.requests if requested == path)

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        fields: dict[str, Any] = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        length = int(request.headers.get("content-length") or 0)
        sent = request.rfile.read(length)
        if "json" in request.headers.get("content-type", ""):
            fields.update(json.loads(sent))
        elif sent:
            fields["form"] = sent
        self.requests.append((request.command, parts.path, fields))
        status, body = self.handler(request.command, parts.path, fields) or self._answer(parts.path, fields)
        content = body.get("bytes") or json.dumps({"success": status < 300, **body}, ensure_ascii=False).encode()
        try:
            request.send_response(status)
            request.send_header("Content-Type", "application/json")
            request.send_header("Content-Length", str(len(content) + body.get("missing", 0)))
            request.end_headers()
            request.wfile.write(content)
            request.close_connection = request.close_connection or "missing" in body
        except OSError:
            # The client has gone.
            request.close_connection = True

    def _answer(self, path: str, fields: dict[str, Any]) -> Answer:
        if path == "/api/agenthub/inbox":
            return 200, self._page(int(fields.get("after_item_id", 0)), int(fields.get("wait", 0)))
        if path == "/api/agenthub/inbox/ack":
            with self._changed:
                found = [self._items.pop(item_id, None) for item_id in fields["item_ids"]]
                return 200, {"acknowledged": len(found) - found.count(None), "remaining": len(self._items)}
        if path == "/api/agenthub/send":
            self.sent.setdefault(fields["client_msg_id"], fields["message"])
            return 201, {"message_id": len(self.sent), "seq": len(self.sent), "deduplicated": False}
        return error("not_found", 404)

    def _page(self, after: int, wait: int) -> dict[str, Any]:
        with self._changed:
            self._changed.wait_for(lambda: any(item_id > after for item_id in self._items), timeout=wait)
            items = [self._items[item_id] for item_id in sorted(self._items) if item_id > after]
        last = items[-1]["item_id"] if items else after
        return {"items": items, "count": len(items), "remaining": 0, "last_item_id": last}


def when(condition: Callable[[], bool], act: Callable[[], object]) -> None:
    """Acts in another thread as soon as the condition holds."""

    def wait() -> None:
        deadline = time.monotonic() + 10
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.005)
        act()

    threading.Thread(target=wait).start()


@contextmanager
def dripping_server() -> Iterator[str]:
    """Runs a server whose answers come slowly and have no end. Yields its address."""

    class Drip(BaseRequestHandler):
        def handle(self) -> None:
            try:
                self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while True:
                    self.request.sendall(b" ")
                    time.sleep(0.05)
            except OSError:
                # The client has gone.
                pass

    with ThreadingTCPServer(("127.0.0.1", 0), Drip) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def item(item_id: int) -> InboxItem:
    """A mention as an item of the inbox."""
    message: Any = {"id": item_id * 10, "content": f"@Scout {item_id}", "sender_type": "user"}
    return {
        "item_id": item_id,
        "kind": "mention",
        "channel_id": 1,
        "channel_slug": "general",
        "agent_name": "Scout",
        "created_at": "2026-11-23T20:00:00.000Z",
        "chat_message": message,
        "notice": None,
        "rendered": "",
    }


def stopped_notice(item_id: int, thread: int | None) -> InboxItem:
    """The notice that a person has stopped the agent in a thread."""
    made = item(item_id)
    made["kind"] = "notice"
    made["chat_message"] = None
    made["notice"] = {"type": "stopped", "text": "ana stopped you.", "details": {"thread_root_id": thread}}
    return made
