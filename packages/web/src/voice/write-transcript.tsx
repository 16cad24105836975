import { TRANSCRIPT_MAX } from "@parley/protocol/voice-limits";
import type { Transcript } from "@parley/protocol/voice-notes";
import { VoiceNotes } from "@parley/sdk/groups";
import { type FormEvent, useState } from "react";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useAskBefore } from "../session/ask-before.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { formValue } from "../ui/form-value.ts";
import { Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

interface Props {
  fileId: number;
  /** The words of now; null: there are none. */
  transcript: Transcript | null;
  onClose(): void;
}

/** Writes or removes the words of a voice note. The message's event brings them to every page, also to this one. */
export function WriteTranscript(props: Props) {
  const texts = useVoiceTexts();
  return (
    <Dialog title={texts.transcript} onClose={props.onClose}>
      <TranscriptForm {...props} />
    </Dialog>
  );
}

function TranscriptForm({ fileId, transcript, onClose }: Props) {
  const parley = useParley();
  const texts = useVoiceTexts();
  const { app } = useTexts();
  const action = useAction();
  const before = transcript?.text ?? "";
  const [isChanged, setChanged] = useState(false);
  const { leaveTitle: title, leaveText: text, leave } = texts;
  useAskBefore(isChanged ? { title, text, action: leave } : null);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const words = formValue(event.currentTarget, "text").trim();
    const notes = parley.client.group(VoiceNotes);
    const isDone = await action.run(async () => {
      if (words !== "") await notes.transcribe(fileId, { text: words });
      else if (transcript !== null) await notes.removeTranscript(fileId);
    });
    if (isDone) onClose();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <label className="field">
        {texts.words}
        <textarea
          name="text"
          rows={6}
          maxLength={TRANSCRIPT_MAX}
          defaultValue={before}
          dir="auto"
          onChange={({ target }) => setChanged(target.value !== before)}
        />
        <span className="hint">{texts.wordsHint}</span>
      </label>
      <Submit action={action}>{app.save}</Submit>
    </form>
  );
}
