import { useCatchUpTexts } from "../i18n/hooks/use-catch-up-texts.ts";
import { labelOf } from "../model/channel-groups.ts";
import { senderInText } from "../model/sender.ts";
import { useParley } from "../session/parley-context.ts";
import type { Entry } from "./entries.ts";

/** Returns a function that names an entry in a few words. */
export function useEntryName(): (entry: Entry) => string {
  const parley = useParley();
  const texts = useCatchUpTexts();
  return (entry) => {
    switch (entry.kind) {
      case "channel":
        return placeName(entry.channel);
      case "thread":
        return `${texts.kinds.thread}: ${senderInText(entry.thread.root)}`;
      case "session":
        return texts.worked(entry.session.agent_name, texts.states[entry.session.state]);
      default: {
        const channel = parley.channels.find(entry.notification.channel_id ?? 0);
        const who = entry.notification.from?.name ?? texts.kinds[entry.kind];
        return channel === undefined ? who : `${who} ${texts.inChannel(placeName(channel))}`;
      }
    }
  };
}

/** Returns the name of a channel, or of the other in a direct conversation. */
export const placeName = (channel: Parameters<typeof labelOf>[0] & { is_direct: boolean }): string =>
  channel.is_direct ? labelOf(channel) : `#${channel.name}`;
