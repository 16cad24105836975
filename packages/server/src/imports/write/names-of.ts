import type { AppContext } from "../../context.ts";
import type { Directory } from "./directory.ts";
import type { Names } from "./text.ts";

/** Returns what texts say instead of the source's ids. `idOf` returns the id of a message; null if it is not taken. */
export function namesOf(ctx: AppContext, directory: Directory, idOf: (messageId: string) => number | null): Names {
  const { publicUrl } = ctx.config;
  return {
    person(userId) {
      const person = directory.people.get(userId);
      return person === undefined ? null : { type: person.kind, name: person.name };
    },
    slug: (channelId) => directory.channels.get(channelId)?.slug ?? null,
    address(channelId, messageId) {
      const channel = directory.channels.get(channelId);
      // Without a name of the server there is no link that would lead anywhere, and the old one stays.
      if (channel === undefined || publicUrl === null) return null;
      const address = `${publicUrl}/#/c/${channel.slug}`;
      if (messageId === null) return address;
      const id = idOf(messageId);
      return id === null ? null : `${address}/${id}`;
    },
  };
}
