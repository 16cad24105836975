"""The parts of `Agent` and `AsyncAgent` that send voice notes and write what is said in them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ._async_http import AsyncHttp
from ._calls import Call, upload
from ._files import Source, Upload, file_id_of, upload_of
from ._http import Http
from .models import FileRecord


def note(file: Source, duration_ms: int, waveform: Sequence[int], name: str | None) -> Call:
    described = upload_of(file, name, None)
    voice = json.dumps({"duration_ms": duration_ms, "waveform": list(waveform)})
    return upload(Upload(described.source, described.name, None, voice))


def transcript(file: FileRecord | int, text: str, language: str | None) -> Call:
    body = {"text": text, "language": language}
    return Call("PUT", f"/api/files/{file_id_of(file)}/transcript", body=body, idempotent=True)


def no_transcript(file: FileRecord | int) -> Call:
    return Call("DELETE", f"/api/files/{file_id_of(file)}/transcript")


class Voicing:
    """Sends voice notes and writes transcripts; a base of `Agent`."""

    _http: Http

    def upload_voice(
        self, file: Source, duration_ms: int, waveform: Sequence[int] = (), name: str | None = None
    ) -> FileRecord:
        """Uploads a recording as a voice note: sound alone, at most 15 minutes. `waveform` has up to 100 values from 0
        to 100. Send it with `files`, as other files."""
        uploaded: FileRecord = self._http.call(note(file, duration_ms, waveform, name))["file"]
        return uploaded

    def transcribe(self, file: FileRecord | int, text: str, language: str | None = None) -> FileRecord:
        """Writes the words of a voice note, for everybody in its channel. Replaces what the agent wrote before."""
        changed: FileRecord = self._http.call(transcript(file, text, language))["file"]
        return changed

    def remove_transcript(self, file: FileRecord | int) -> FileRecord:
        """Removes the words that the agent wrote."""
        changed: FileRecord = self._http.call(no_transcript(file))["file"]
        return changed


class AsyncVoicing:
    """Sends voice notes and writes transcripts; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def upload_voice(
        self, file: Source, duration_ms: int, waveform: Sequence[int] = (), name: str | None = None
    ) -> FileRecord:
        """See `Agent.upload_voice`."""
        uploaded: FileRecord = (await self._http.call(note(file, duration_ms, waveform, name)))["file"]
        return uploaded

    async def transcribe(self, file: FileRecord | int, text: str, language: str | None = None) -> FileRecord:
        """See `Agent.transcribe`."""
        changed: FileRecord = (await self._http.call(transcript(file, text, language)))["file"]
        return changed

    async def remove_transcript(self, file: FileRecord | int) -> FileRecord:
        """See `Agent.remove_transcript`."""
        changed: FileRecord = (await self._http.call(no_transcript(file)))["file"]
        return changed
