import type { Channel, Sticker } from "@parley/protocol/models";
import { EmojiPicker } from "../emoji/emoji-picker.tsx";
import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import { useParley } from "../session/parley-context.ts";
import { useValue } from "../session/use-site.ts";
import { PacketIcon, SmileIcon, StickerIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";

interface Picking {
  onPick(sticker: Sticker): void;
}

/** Has the panel's width, by which the popover is placed before the code has loaded. */
const Waiting = () => <div className="stickers" aria-busy="true" />;
/** Has the width of the button, so that the others stay where they are. */
const Space = () => <span className="icon-button" aria-hidden="true" />;
const PollButton = lazy<{ channelId: number }>(
  async () => (await import("../polls/poll-button.tsx")).PollButton,
  Space,
);
const StickerPicker = lazy<Picking>(async () => (await import("./sticker-picker.tsx")).StickerPicker, Waiting);

interface Props {
  /** The channel that polls and red packets can be sent to; null: none. */
  channel: Channel | null;
  onEmoji(emoji: string): void;
  onSticker(sticker: Sticker): void;
}

/** Buttons for emoji, stickers, polls and red packets. */
export function ComposerTools({ channel, onEmoji, onSticker }: Props) {
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
              onSticker(sticker);
            }}
          />
        )}
      </Popover>
      {channel !== null && <PollButton channelId={channel.id} />}
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
