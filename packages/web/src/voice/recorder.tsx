import type { FileRecord } from "@parley/protocol/files";
import { VOICE_MS_MAX } from "@parley/protocol/voice-limits";
import { ParleyError } from "@parley/sdk";
import { VoiceNotes } from "@parley/sdk/groups";
import { type FormEvent, useEffect, useLayoutEffect, useRef } from "react";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { UserFacingError } from "../i18n/user-facing-error.ts";
import { useAskBefore } from "../session/ask-before.ts";
import { useParley } from "../session/parley-context.ts";
import { pause } from "../state/pause.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { Level } from "./level.tsx";
import { Listen } from "./listen.tsx";
import type { Recorded } from "./recording.ts";
import { useRecording } from "./use-recording.ts";
import { timeText } from "./waveform.ts";

/** A shorter recording is thrown away without a question. */
const WORTH_MS = 3_000;
/** How often a file that is scanned is asked for. */
const CHECK_MS = 1_500;

interface Props {
  onSend(file: FileRecord): void;
  onClose(): void;
}

/** Records a voice note, lets the user listen to it, and sends it. Enter sends, and Escape throws it away. */
export function Recorder({ onSend, onClose }: Props) {
  const texts = useVoiceTexts();
  return (
    <Dialog title={texts.record} onClose={onClose}>
      <RecorderForm
        onSend={(file) => {
          onClose();
          onSend(file);
        }}
      />
    </Dialog>
  );
}

function RecorderForm({ onSend }: Pick<Props, "onSend">) {
  const parley = useParley();
  const texts = useVoiceTexts();
  const { app } = useTexts();
  const { state, elapsedMs, stop, again } = useRecording();
  const action = useAction();
  const upload = useUpload();
  const isWorth = (state.kind === "recording" || state.kind === "recorded") && elapsedMs >= WORTH_MS;
  const discard = { title: texts.discardTitle, text: texts.discardText, action: texts.discard };
  useAskBefore(isWorth || action.isBusy ? discard : null);
  const first = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button is another one in another state
  useLayoutEffect(() => first.current?.focus(), [state.kind]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await action.run(async () => {
      const recorded = await stop();
      if (recorded === null) return;
      const file = await upload(recorded, texts);
      // It may have been asked meanwhile whether to throw it away.
      parley.confirm.asked.get()?.answer(false);
      onSend(file);
    });
  };
  const startAgain = async () => {
    if (!isWorth || (await parley.confirm.ask(discard))) again();
  };
  if (state.kind === "refused")
    return (
      <div className="stack">
        <p role="alert">{texts.refusals[state.why]}</p>
        {state.why !== "insecure" && state.why !== "unsupported" && (
          <button type="button" ref={first} onClick={again}>
            {texts.tryAgain}
          </button>
        )}
      </div>
    );
  if (state.kind === "asking") return <p role="status">{texts.asking}</p>;
  const isFull = elapsedMs >= VOICE_MS_MAX;
  return (
    <form className="stack recorder" onSubmit={submit}>
      {state.kind === "recording" ? (
        <div className="voice-row">
          <Level recording={state.recording} />
          <span className="voice-time" role="timer">
            {timeText(elapsedMs / 1_000)}
          </span>
        </div>
      ) : (
        <Listen recorded={state.recorded} />
      )}
      <p className="hint" role="status">
        {state.kind === "recording" ? texts.recording : isFull ? texts.full : texts.stopped}
      </p>
      <ErrorLine text={action.error} />
      <div className="row answers">
        {state.kind === "recording" ? (
          <button type="button" className="secondary" onClick={() => void stop()} disabled={action.isBusy}>
            {texts.stop}
          </button>
        ) : (
          <button type="button" className="secondary" onClick={() => void startAgain()} disabled={action.isBusy}>
            {texts.again}
          </button>
        )}
        <button type="submit" ref={first} disabled={action.isBusy}>
          {action.isBusy ? texts.sending : texts.send}
        </button>
      </div>
      <CancelButton label={app.cancel} />
    </form>
  );
}

/** Closes the dialog as its close button does, so that the same question is asked. */
function CancelButton({ label }: { label: string }) {
  const cancel = (event: { currentTarget: HTMLElement }) => event.currentTarget.closest("dialog")?.close();
  return (
    <button type="button" className="link" onClick={cancel}>
      {label}
    </button>
  );
}

/**
 * Returns what uploads a recording, once however often it is tried, and waits until the server has scanned it. It rejects
 * when the window closes, so that nothing is sent then.
 */
function useUpload() {
  const parley = useParley();
  const keys = useRef(new WeakMap<Recorded, string>());
  const closing = useRef(new AbortController());
  useEffect(() => {
    const mounted = new AbortController();
    closing.current = mounted;
    return () => mounted.abort();
  }, []);
  return async (recorded: Recorded, texts: ReturnType<typeof useVoiceTexts>): Promise<FileRecord> => {
    const { signal } = closing.current;
    signal.throwIfAborted();
    const key = keys.current.get(recorded) ?? crypto.randomUUID();
    keys.current.set(recorded, key);
    const { blob, extension, waveform } = recorded;
    const claim = { duration_ms: Math.min(VOICE_MS_MAX, recorded.durationMs), waveform };
    const notes = parley.client.group(VoiceNotes);
    const name = `${texts.fileName}.${extension}`;
    let { file } = await notes
      .upload(blob, claim, { name }, { idempotencyKey: key, signal })
      .catch((error: unknown) => {
        const isRefused = error instanceof ParleyError && error.code === "not_a_voice_note";
        throw isRefused ? new UserFacingError(texts.refused) : error;
      });
    while (file.status === "scanning") {
      await pause(CHECK_MS, signal);
      ({ file } = await parley.client.files.record(file.file_id, { signal }));
    }
    if (file.status === "blocked") throw new UserFacingError(texts.refused);
    signal.throwIfAborted();
    return file;
  };
}
