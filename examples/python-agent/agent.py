"""An agent that needs only Python 3.10 or newer: it waits for mentions and answers each one once.

Usage: PARLEY_KEY=ply_... python3 agent.py <url> <name> <channel>...

Replace `think` with a call of your model. No mention is lost: each is acknowledged only after its answer was sent. None
is answered twice: the answer's client_msg_id names the mention, so the server recognizes a repeated answer.
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

Json = dict[str, Any]

WAIT_SECONDS = 30  # the server holds a read of the mentions open for this long
TIMEOUT_SECONDS = WAIT_SECONDS + 20


class Refused(Exception):
    """The server's answer to a call that it refuses, however often it is repeated. `code` says why."""

    def __init__(self, body: Json) -> None:
        super().__init__(f"{body['code']}: {body['error']}")
        self.code = body["code"]


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, which would carry the key to another server."""

    def redirect_request(self, *_args: object) -> None:
        return None


def think(context: str) -> str:
    """Returns the answer to a mention. `context` is the channel's latest messages, fenced as text for a model."""
    return f"I have read {context.count(chr(10) + '<message ')} messages."


def ask(url: str, key: str, path: str, body: Json | None) -> Json:
    """Makes one call. Returns the server's answer, which may be an error. Raises OSError or ValueError without one."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/agenthub/{path}", data, headers)
    try:
        with urllib.request.build_opener(NoRedirects).open(request, timeout=TIMEOUT_SECONDS) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            answer = json.load(error)
    if not isinstance(answer, dict) or "success" not in answer:
        raise ValueError("The answer is not from a Parley server.")
    return answer


def call(url: str, key: str, path: str, body: Json | None = None) -> Json:
    """Repeats a call until the server has executed it. Raises Refused if repeating it cannot help."""
    tries = 0
    while True:
        try:
            answer = ask(url, key, path, body)
        except (OSError, ValueError, http.client.HTTPException) as error:
            answer = {"code": "no_answer", "error": str(error), "retryable": True}
        if answer.get("success"):
            return answer
        if not answer.get("retryable") and answer["code"] != "internal_error":
            raise Refused(answer)
        tries += 1
        seconds = answer.get("retry_after", random.uniform(0.5, 1) * min(30, 2**tries))
        print(f"{path}: {answer['code']}, again in {seconds:.0f} s", file=sys.stderr)
        time.sleep(seconds)


def answer_mention(url: str, key: str, mention: Json) -> None:
    """Reads the channel, thinks, and replies. Raises Refused if the server does not accept the reply."""
    where = {"channel_slug": mention["channel_slug"], "agent_name": mention["agent_name"]}
    call(url, key, "typing", {**where, "typing": True})
    query = urllib.parse.urlencode({"channel_slug": mention["channel_slug"], "limit": 30, "format": "context"})
    context = call(url, key, f"messages?{query}")["rendered"]
    reply = {"reply_to_id": mention["message_id"], "client_msg_id": f"reply-{mention['mention_id']}"}
    call(url, key, "send", {**where, **reply, "message": think(context)})


def main(url: str, name: str, *channels: str) -> None:
    """Logs in, then answers mentions until the key ends."""
    key = os.environ["PARLEY_KEY"].strip()
    for channel in channels:
        call(url, key, "login", {"channel_slug": channel, "agent_name": name})
        print(f"{name} is in {channel}.", flush=True)
    query = urllib.parse.urlencode({"mark_read": "false", "wait": WAIT_SECONDS, "agent_name": name})
    while True:
        for mention in call(url, key, f"mentions?{query}")["mentions"]:
            # Agents that answer agents may never stop.
            if mention["sender_type"] != "agent":
                try:
                    answer_mention(url, key, mention)
                except Refused as refused:
                    # An earlier run has sent another text as the answer to this mention.
                    if refused.code != "idempotency_conflict":
                        print(f"Mention {mention['mention_id']} stays unanswered: {refused}", file=sys.stderr)
            call(url, key, "mentions/ack", {"mention_ids": [mention["mention_id"]]})


if __name__ == "__main__":
    if len(sys.argv) < 4 or "PARLEY_KEY" not in os.environ:
        sys.exit(__doc__)
    try:
        main(sys.argv[1].rstrip("/"), *sys.argv[2:])
    except Refused as refused:
        sys.exit(str(refused))
    except KeyboardInterrupt:
        pass
