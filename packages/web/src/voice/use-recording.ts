import { VOICE_MS_MAX } from "@parley/protocol/voice-limits";
import { useCallback, useEffect, useRef, useState } from "react";
import { pauseOthers } from "./pause-others.ts";
import { hindrance, type Recorded, Recording, type Refusal, refusalOf } from "./recording.ts";

const TICK_MS = 200;

export type RecordingState =
  | { kind: "asking" }
  | { kind: "refused"; why: Refusal }
  | { kind: "recording"; recording: Recording }
  | { kind: "recorded"; recorded: Recorded };

interface Recorder {
  state: RecordingState;
  elapsedMs: number;
  /** Ends it, and returns what there is; null: nothing. */
  stop(): Promise<Recorded | null>;
  /** Throws away what there is, and begins another one. */
  again(): void;
}

/** Records from the moment that the component is shown, and gives the microphone back when it goes. */
export function useRecording(): Recorder {
  const [state, setState] = useState<RecordingState>({ kind: "asking" });
  const [elapsedMs, setElapsed] = useState(0);
  const [round, setRound] = useState(0);
  const stopping = useRef<{ recording: Recording; recorded: Promise<Recorded> } | null>(null);
  const stopOne = useCallback((recording: Recording): Promise<Recorded> => {
    if (stopping.current?.recording !== recording) stopping.current = { recording, recorded: recording.stop() };
    return stopping.current.recorded;
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a new recording
  useEffect(() => {
    let isShown = true;
    let begun: Recording | null = null;
    const begin = async () => {
      setState({ kind: "asking" });
      const why = hindrance();
      if (why !== null) return setState({ kind: "refused", why });
      try {
        const recording = await Recording.begin();
        if (!isShown) return recording.cancel();
        // It would be recorded.
        pauseOthers(null);
        begun = recording;
        setElapsed(0);
        setState({ kind: "recording", recording });
        await recording.ended;
        const recorded = await stopOne(recording);
        if (!isShown) return;
        setElapsed(recorded.durationMs);
        setState({ kind: "recorded", recorded });
      } catch (error) {
        if (isShown) setState({ kind: "refused", why: refusalOf(error) });
      }
    };
    void begin();
    return () => {
      isShown = false;
      begun?.cancel();
    };
  }, [round]);
  useEffect(() => {
    if (state.kind !== "recording") return;
    const { recording } = state;
    const timer = setInterval(() => {
      setElapsed(recording.elapsedMs);
      if (recording.elapsedMs >= VOICE_MS_MAX) void stopOne(recording);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [state, stopOne]);
  return {
    state,
    elapsedMs,
    stop: async () => {
      if (state.kind === "recorded") return state.recorded;
      return state.kind === "recording" ? stopOne(state.recording) : null;
    },
    again: () => setRound((before) => before + 1),
  };
}
