import type { Channel } from "@parley/protocol/models";
import { endsInOpenFence } from "../ui/open-fence.ts";
import type { Suggestion } from "./completion.ts";

const SHOWN = 8;
/** The name of a channel being written: a `#` that begins a word, and what stands between it and the caret. */
const BEGUN =
  /(?:^|[^\p{L}\p{N}_.%+@/&#=?:~-]|[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}])#([\p{L}\p{N}-]{0,64})$/u;

/** Returns the channels that are meant at the caret, those whose name begins so first; null if none is being written, as in a block of code. */
export function suggestChannels(
  text: string,
  caret: number,
  channels: readonly Channel[],
): { start: number; choices: Suggestion[] } | null {
  const before = text.slice(0, caret);
  const query = BEGUN.exec(before)?.[1]?.toLowerCase();
  if (query === undefined || endsInOpenFence(before)) return null;
  const placeIn = ({ channel_slug, name }: Channel): number => {
    const places = [channel_slug, name.toLowerCase()].map((each) => each.indexOf(query)).filter((at) => at >= 0);
    return places.length === 0 ? -1 : Math.min(...places);
  };
  const fits = channels.filter((channel) => !channel.is_direct && placeIn(channel) >= 0);
  const ordered = [
    ...fits.filter((channel) => placeIn(channel) === 0),
    ...fits.filter((channel) => placeIn(channel) > 0),
  ];
  return {
    start: caret - query.length - 1,
    choices: ordered
      .slice(0, SHOWN)
      .map(({ channel_slug, name }) => ({ kind: "channel", name: channel_slug, title: name })),
  };
}
