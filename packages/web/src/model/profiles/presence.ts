import { AVATARS_ASKED_MAX } from "@parley/protocol/limits";
import type { UserClient } from "@parley/sdk";
import { Lookup } from "../../state/lookup.ts";

/** A person who comes or goes is shown within this time. */
const REFRESH_MS = 60_000;

/** The lower-case form by which names are compared. */
export const presenceKey = (username: string): string => username.toLowerCase();

/**
 * Which of the people on the page are online, also those who share no open channel with the user. The names in view are
 * asked for together: one request for up to 100 of them, and again each minute while the page is visible.
 */
export class OnlinePeople {
  readonly online: Lookup<string, true>;

  constructor(client: UserClient) {
    this.online = new Lookup({
      maxKeys: AVATARS_ASKED_MAX,
      async fetch(names) {
        const { online } = await client.accounts.presence(names);
        return new Map(online.map((name) => [presenceKey(name), true]));
      },
    });
    setInterval(() => document.visibilityState === "visible" && this.online.refresh(), REFRESH_MS);
  }

  /** Asks again, because changes may have been missed. */
  refresh(): void {
    this.online.refresh();
  }
}
