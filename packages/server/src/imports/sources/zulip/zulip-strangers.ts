import type { SourceUser } from "../../source.ts";
import type { Realm } from "./zulip-realm.ts";

/** Returns somebody whom only messages name: a bot of Zulip itself, or a person whom the export does not have. */
export function strangerOf(id: string, { systemBots }: Realm): SourceUser {
  const bot = systemBots.get(id);
  return {
    id,
    name: bot?.name ?? `unknown-${id}`,
    displayName: bot?.name ?? null,
    email: null,
    kind: bot === undefined ? "person" : "bot",
    isGone: bot === undefined,
  };
}
