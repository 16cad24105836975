"""Requests that the server sends to a webhook."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, TypedDict, cast

#: Older and newer requests are refused, so that nobody can send a recorded one later.
TOLERANCE_SECONDS = 5 * 60


class WebhookEvent(TypedDict):
    """An event: `type` is its name, such as "inbox.new"."""

    type: str
    timestamp: str
    data: dict[str, Any]


class WebhookVerificationError(ValueError):
    """A request that was not sent by the server, or too long ago. Answer it with 401."""


def verify_webhook(headers: Mapping[str, str], body: bytes | str, secret: str) -> WebhookEvent:
    """Verifies a request and returns its event. Raises `WebhookVerificationError`.

    `body` is what arrived: JSON that was parsed and written again has another signature. An event can arrive twice,
    under the same `webhook-id`.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise WebhookVerificationError("A header of the signature is missing.") from error
    if not timestamp.isascii() or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The request was signed too long ago, or in the future.")
    content = body.encode() if isinstance(body, str) else body
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise WebhookVerificationError("The secret is malformed.") from error
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    if not any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures.split(" ")):
        raise WebhookVerificationError("No signature matches the secret.")
    return cast(WebhookEvent, json.loads(content))
