import type { FileRecord } from "@parley/protocol/files";
import type { Transcript } from "@parley/protocol/voice-notes";
import { VoiceNotes } from "@parley/sdk/groups";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useModerates } from "../session/use-moderates.ts";

interface Props {
  file: FileRecord;
  transcript: Transcript | null;
  /** Nobody can change the words of a forwarded note. */
  isForward?: boolean;
  channelId?: number;
}

/** The words of a voice note, folded, and who wrote them. Its sender may write them. */
export function TranscriptOf({ file, transcript, isForward = false, channelId }: Props) {
  const parley = useParley();
  const texts = useVoiceTexts();
  const self = useSelf();
  // The files of agents have no username, and guests have none either.
  const isOwn = self !== null && self === file.username;
  const mayRemove = useModerates(channelId) && transcript !== null && !isOwn;
  const remove = async () => {
    const question = { title: texts.remove, text: texts.removeQuestion, action: texts.remove };
    if (!(await parley.confirm.ask(question))) return;
    await parley.client
      .group(VoiceNotes)
      .removeTranscript(file.file_id)
      .catch((error: unknown) => parley.showError(error));
  };
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
      {isOwn && !isForward && file.expires_at === null && (
        <button
          type="button"
          className="link write-transcript"
          onClick={() => parley.openDialog.set({ window: "transcript", fileId: file.file_id, transcript })}
        >
          {transcript === null ? texts.write : texts.change}
        </button>
      )}
      {mayRemove && (
        <button type="button" className="link write-transcript" onClick={() => void remove()}>
          {texts.remove}
        </button>
      )}
    </>
  );
}
