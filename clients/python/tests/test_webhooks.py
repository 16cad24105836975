"""Requests that the server sends to a webhook."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
import unittest

from parley_chat import WebhookVerificationError, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four b").decode()
BODY = '{"type": "inbox.new", "timestamp": "2026-01-01T00:00:00.000Z", "data": {"text": "漢"}}'


def signed(at: float | None = None, body: str = BODY, secret: str = SECRET) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"msg_1.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {"Webhook-Id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": f"v1,AAAA {signature}"}


class WebhooksTest(unittest.TestCase):
    def test_accepts_what_the_server_signs(self) -> None:
        bodies: list[str | bytes] = [BODY, BODY.encode()]
        for body in bodies:
            self.assertEqual(verify_webhook(signed(), body, SECRET)["type"], "inbox.new")

    def test_refuses_other_bodies_times_secrets_and_headers(self) -> None:
        other = "whsec_" + base64.b64encode(b"another").decode()
        refused: list[tuple[dict[str, str], str, str]] = [
            (signed(), BODY + " ", SECRET),
            (signed(time.time() - 301), BODY, SECRET),
            (signed(time.time() + 301), BODY, SECRET),
            (signed(), BODY, other),
            (signed(), BODY, "whsec_%%%"),
            ({**signed(), "webhook-timestamp": "²"}, BODY, SECRET),
            ({**signed(), "webhook-signature": "é"}, BODY, SECRET),
            ({}, BODY, SECRET),
        ]
        for headers, body, secret in refused:
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(headers, body, secret)


if __name__ == "__main__":
    unittest.main()
