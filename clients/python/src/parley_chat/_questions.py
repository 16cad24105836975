"""The part of `Agent` that asks people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _asking
from ._asking import Answer, Question
from ._http import Http
from ._loops import follow
from ._polls import Polling


class Asking(Polling):
    """Asks people by cards and polls; a base of `Agent`."""

    _http: Http

    @property
    def name(self) -> str:
        raise NotImplementedError

    def ask(
        self,
        channel: str,
        text: str,
        who: Mapping[str, Any],
        *,
        kind: str | None = None,
        options: Sequence[Mapping[str, Any]] | None = None,
        components: Sequence[Mapping[str, Any]] | None = None,
        quorum: int | None = None,
        expires_in: int | None = None,
        client_msg_id: str | None = None,
        thread: int | None = None,
        keys: Sequence[Mapping[str, Any]] | None = None,
    ) -> Answer:
        """Asks people, waits until the question has ended, and verifies the server's receipt.

        `who` names them, as in `{"users": ["ann", "bob"]}`, `{"owner": True}` or `{"roles": ["admin"]}`. Without
        `options` it is an approval with the buttons "Approve" and "Deny", which one denial or `quorum` approvals
        decide.
        With `options`, such as `[{"action_id": "red", "label": "Red"}]`, the first press decides; `components` is a
        whole card. With the same `client_msg_id` a later run of your program waits for the same question. `keys` are
        the server's keys that you trust; by default those that it publishes now.

        Raises ParleyError, also after `stop`, and ReceiptError.
        """
        asked = Question(
            channel, text, who, kind, options, components, quorum, expires_in, client_msg_id, thread, keys
        )
        for answer in follow(self._http, _asking.plan(asked, self.name)):
            return answer
        raise _asking.stopped()

    def interaction(self, interaction_id: int) -> dict[str, Any]:
        """Returns `interaction` and `receipt`: how a question stands."""
        state: dict[str, Any] = self._http.call(_asking.interaction(interaction_id))
        return state

    def cancel(self, interaction_id: int) -> dict[str, Any]:
        """Withdraws a question of this agent that is still open. Idempotent."""
        state: dict[str, Any] = self._http.call(_asking.cancel(interaction_id))
        return state
