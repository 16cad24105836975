import type { FileRecord } from "@parley/protocol/files";
import type { Channel } from "@parley/protocol/models";
import { PollButton } from "../../polls/poll-button.tsx";
import { VoiceButton } from "../../voice/voice-button.tsx";

export interface MoreToolsProps {
  /** The channel that polls can be sent to; null: none. */
  channel: Channel | null;
  onVoice(file: FileRecord): void;
}

/** Buttons of the composer that load after it. */
export function MoreTools({ channel, onVoice }: MoreToolsProps) {
  return (
    <>
      <VoiceButton onSend={onVoice} />
      {channel !== null && <PollButton channelId={channel.id} />}
    </>
  );
}
