"""Questions to people without a server: signatures, receipts, what is sent."""

from __future__ import annotations

import base64
import hashlib
import json
import unittest
from typing import Any

from parley_chat import ReceiptError, verify_receipt
from parley_chat._asking import Question, plan
from parley_chat._ed25519 import is_signed

#: Test 3 of RFC 8032, 7.1.
KEY = bytes.fromhex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
MESSAGE = bytes.fromhex("af82")
SIGNATURE = bytes.fromhex(
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
    "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
)


class Ed25519(unittest.TestCase):
    def test_accepts_the_signature_of_the_standard_and_nothing_else(self) -> None:
        self.assertTrue(is_signed(KEY, MESSAGE, SIGNATURE))
        self.assertFalse(is_signed(KEY, MESSAGE + b"!", SIGNATURE))
        for at in (0, 31, 32, 63):
            changed = bytearray(SIGNATURE)
            changed[at] ^= 1
            self.assertFalse(is_signed(KEY, MESSAGE, bytes(changed)))
        for key in (b"", bytes(32), b"\xff" * 32):
            self.assertFalse(is_signed(key, MESSAGE, SIGNATURE))
        self.assertFalse(is_signed(KEY, MESSAGE, SIGNATURE[:63]))


class Receipts(unittest.TestCase):
    def test_names_an_unknown_key_and_a_signature_of_another_text(self) -> None:
        receipt = {"key_id": "a", "signed": "{}", "signature": base64.b64encode(SIGNATURE).decode()}
        with self.assertRaisesRegex(ReceiptError, "unknown"):
            verify_receipt(receipt, [])
        keys = [{"key_id": "a", "public_key": base64.b64encode(KEY).decode()}]
        with self.assertRaisesRegex(ReceiptError, "not of this text"):
            verify_receipt(receipt, keys)


class Plans(unittest.TestCase):
    def test_asks_an_approval_once_and_waits_again_while_it_is_open(self) -> None:
        steps = plan(Question("general", "Deploy?", {"users": ["ann"]}, quorum=1, client_msg_id="d1"), "Scout")
        call = next(steps).call  # type: ignore[union-attr]
        body: Any = call.body
        self.assertEqual([call.path, call.idempotent, body["client_msg_id"]], ["/api/agenthub/send", True, "d1"])
        self.assertEqual(body["interaction"], {"kind": "approval", "who": {"users": ["ann"]}, "quorum": 1})
        self.assertEqual([button["action_id"] for button in body["components"][0]["elements"]], ["approve", "deny"])
        message = {"id": 7, "content": "Deploy?", "components": body["components"], "is_deleted": False}
        waiting = steps.send({"chat_message": message})
        self.assertEqual(waiting.call.target, "/api/interactions/7?wait=30")  # type: ignore[union-attr]
        again = steps.send({"interaction": {"status": "open"}, "receipt": None})
        self.assertEqual(again, waiting)
        with self.assertRaises(ReceiptError):
            steps.send({"interaction": {"status": "decided"}, "receipt": None})

    def test_hashes_what_was_asked_as_the_server_does(self) -> None:
        text = json.dumps(["Größe?", [{"type": "row"}]], ensure_ascii=False, separators=(",", ":"))
        self.assertEqual(text, '["Größe?",[{"type":"row"}]]')
        self.assertEqual(len(hashlib.sha256(text.encode()).hexdigest()), 64)


if __name__ == "__main__":
    unittest.main()
