import type { FileRecord } from "@parley/protocol/files";
import { TRANSCRIPT_MAX } from "@parley/protocol/voice-limits";
import type { Transcript } from "@parley/protocol/voice-notes";
import { VoiceNotes } from "@parley/sdk/groups";
import { type FormEvent, useState } from "react";
import { createPortal } from "react-dom";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

interface Props {
  file: FileRecord;
  transcript: Transcript | null;
}

/** The words of a voice note, folded, and who wrote them. Its sender may write them. */
export function TranscriptOf({ file, transcript }: Props) {
  const texts = useVoiceTexts();
  const isOwn = useSelf() === file.username;
  const [isWriting, setWriting] = useState(false);
  return (
    <>
      {transcript !== null && (
        <details className="transcript">
          <summary>
            {transcript.agent_name === null ? texts.transcript : texts.transcriptBy(transcript.agent_name)}
          </summary>
          <p dir="auto" lang={transcript.language ?? undefined}>
            {transcript.text}
          </p>
        </details>
      )}
      {isOwn && file.expires_at === null && (
        <button type="button" className="link write-transcript" onClick={() => setWriting(true)}>
          {transcript === null ? texts.write : texts.change}
        </button>
      )}
      {isWriting &&
        createPortal(
          <DialogBoundary onClose={() => setWriting(false)}>
            <WriteTranscript file={file} transcript={transcript} onClose={() => setWriting(false)} />
          </DialogBoundary>,
          document.body,
        )}
    </>
  );
}

/** Writes or removes the words. The message's event brings them to every page, also to this one. */
function WriteTranscript({ file, transcript, onClose }: Props & { onClose(): void }) {
  const parley = useParley();
  const texts = useVoiceTexts();
  const { app } = useTexts();
  const action = useAction();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = formValue(event.currentTarget, "text").trim();
    const notes = parley.client.group(VoiceNotes);
    const isDone = await action.run(async () => {
      if (text !== "") await notes.transcribe(file.file_id, { text });
      else if (transcript !== null) await notes.removeTranscript(file.file_id);
    });
    if (isDone) onClose();
  };
  return (
    <Dialog title={texts.transcript} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <label className="field">
          {texts.words}
          <textarea name="text" rows={6} maxLength={TRANSCRIPT_MAX} defaultValue={transcript?.text ?? ""} dir="auto" />
          <span className="hint">{texts.wordsHint}</span>
        </label>
        <Submit action={action}>{app.save}</Submit>
      </form>
    </Dialog>
  );
}
