"""Agents that write answers which appear as they are written."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from contextlib import suppress
from typing import Any

from ._async_http import AsyncHttp
from ._calls import Call
from ._http import Http
from ._streams import ALIVE_SECONDS, APART_SECONDS, AnswerWriter, Piece, StreamedAnswer, streamed
from .errors import ParleyError
from .models import InboxItem, Mention


class Streaming:
    """The part of `Agent` that writes streams."""

    _http: Http

    @property
    def name(self) -> str:
        raise NotImplementedError

    def stream(
        self,
        to: str | InboxItem | Mention,
        pieces: Iterable[Piece],
        part: int = 0,
        *,
        client_msg_id: str | None = None,
        finish: Mapping[str, object] | None = None,
    ) -> StreamedAnswer:
        """Writes an answer that appears as it is written, and becomes one durable message: in a channel, or as the
        answer to an item. `pieces` is what a language model yields; `{"status": "reading 3 files"}` shows what the
        agent does. `finish` is what the message has besides the text: `components`, `interaction`, `usage`.

        What exceeds 4,000 characters is sent at the end, split between paragraphs. If the pieces raise, nothing is
        left. The server ends a stream of which it hears nothing for 60 seconds: yield a status while you wait.
        """
        writer = AnswerWriter(to, self.name, part, client_msg_id)
        if writer.started(self._http.call(writer.start())):
            sent_at = 0.0
            try:
                for piece in pieces:
                    writer.take(piece)
                    if time.monotonic() - sent_at >= APART_SECONDS and not writer.is_over:
                        sent_at = time.monotonic()
                        self._append(writer)
            except BaseException:
                with suppress(ParleyError):
                    self._http.call(writer.cancel())
                raise
        answer = self._http.call(writer.finish(finish))
        return streamed(answer, [self._http.call(call) for call in writer.rest(answer)])

    def _append(self, writer: AnswerWriter) -> None:
        call = writer.append()
        if call is None:
            return
        try:
            self._http.call(call)
            writer.appended()
        except ParleyError as error:
            writer.refused(error)


class AsyncStreaming:
    """The part of `AsyncAgent` that writes streams."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def stream(
        self,
        to: str | InboxItem | Mention,
        pieces: AsyncIterable[Piece],
        part: int = 0,
        *,
        client_msg_id: str | None = None,
        finish: Mapping[str, object] | None = None,
    ) -> StreamedAnswer:
        """Writes an answer that appears as it is written; see `Agent.stream`. It keeps the stream open while `pieces`
        yields nothing."""
        writer = AnswerWriter(to, await self.own_name(), part, client_msg_id)
        if writer.started(await self._http.call(writer.start())):
            try:
                await self._write(writer, pieces.__aiter__())
            except BaseException:
                with suppress(ParleyError):
                    await self._http.call(writer.cancel())
                raise
        answer = await self._http.call(writer.finish(finish))
        rest: list[Any] = [await self._http.call(call) for call in writer.rest(answer)]
        return streamed(answer, rest)

    async def _write(self, writer: AnswerWriter, pieces: AsyncIterator[Piece]) -> None:
        sent_at = 0.0
        while True:
            following = asyncio.ensure_future(anext(pieces))
            try:
                while not (await asyncio.wait({following}, timeout=ALIVE_SECONDS))[0]:
                    await self._append(writer, writer.append(is_silent=True))
                writer.take(following.result())
            except StopAsyncIteration:
                return
            finally:
                following.cancel()
            if time.monotonic() - sent_at >= APART_SECONDS:
                sent_at = time.monotonic()
                await self._append(writer, writer.append())

    async def _append(self, writer: AnswerWriter, call: Call | None) -> None:
        if call is None or writer.is_over:
            return
        try:
            await self._http.call(call)
            writer.appended()
        except ParleyError as error:
            writer.refused(error)
