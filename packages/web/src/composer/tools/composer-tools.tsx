import type { FileRecord } from "@parley/protocol/files";
import type { Channel, Sticker } from "@parley/protocol/models";
import { EmojiPicker } from "../../emoji/emoji-picker.tsx";
import { useTexts } from "../../i18n/use-texts.ts";
import { lazy } from "../../session/lazy.tsx";
import { useParley } from "../../session/parley-context.ts";
import { useValue } from "../../session/use-site.ts";
import { PacketIcon, SmileIcon, StickerIcon } from "../../ui/icons.tsx";
import { Popover } from "../../ui/popover.tsx";
import type { MoreToolsProps } from "./more-tools.tsx";

interface Picking {
  onPick(sticker: Sticker): void;
}

/** Has the panel's width, by which the popover is placed before the code has loaded. */
const Waiting = () => <div className="stickers" aria-busy="true" />;
/** Has the width of two buttons, so that the others stay where they are. */
const Space = () => <span className="more-tools" />;
const MoreTools = lazy<MoreToolsProps>(async () => (await import("./more-tools.tsx")).MoreTools, Space);
const StickerPicker = lazy<Picking>(async () => (await import("./sticker-picker.tsx")).StickerPicker, Waiting);

interface Props {
  /** The channel that polls and red packets can be sent to; null: none. */
  channel: Channel | null;
  onEmoji(emoji: string): void;
  onSend(sticker: Sticker | null, files?: readonly FileRecord[]): void;
}

/** Buttons for emoji, stickers, voice notes, polls and red packets. */
export function ComposerTools({ channel, onEmoji, onSend }: Props) {
  const parley = useParley();
  const { composer: texts } = useTexts();
  const hasPackets = useValue() !== false;
  return (
    <>
      <Popover label={texts.emoji} button={<SmileIcon />}>
        {(close) => (
          <EmojiPicker
            label={(emoji) => emoji}
            onPick={(emoji) => {
              close();
              onEmoji(emoji);
            }}
          />
        )}
      </Popover>
      <Popover label={texts.stickers} button={<StickerIcon />}>
        {(close) => (
          <StickerPicker
            onPick={(sticker) => {
              close();
              onSend(sticker);
            }}
          />
        )}
      </Popover>
      <MoreTools channel={channel} onVoice={(file) => onSend(null, [file])} />
      {channel !== null && hasPackets && (
        <button
          type="button"
          className="icon-button"
          aria-label={texts.packet}
          title={texts.packet}
          onClick={() => parley.openDialog.set({ window: "new packet", channel })}
        >
          <PacketIcon />
        </button>
      )}
    </>
  );
}
