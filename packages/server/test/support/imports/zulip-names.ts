import { ZulipIndex } from "../../../src/imports/sources/zulip/zulip-index.ts";
import type { Realm } from "../../../src/imports/sources/zulip/zulip-realm.ts";

/** The people and channels that texts name in tests. */
export const realm: Realm = {
  id: "acme",
  name: "Acme",
  subdomain: "acme",
  hosts: new Set(["chat.acme.example"]),
  names: new Map([
    ["10", "Ada Berg"],
    ["11", "Ben"],
  ]),
  userIds: new Map([
    ["Ada Berg", "10"],
    ["Ben", "11"],
  ]),
  systemBots: new Map(),
  streams: new Map([["5", { id: "5", name: "dev ops", recipient: "105" }]]),
  streamIds: new Map([["dev ops", "5"]]),
  recipients: new Map(),
  emoji: new Map([["working", "🛠️"]]),
  ownEmoji: new Set(["parrot"]),
  hasAddresses: true,
};
export const index = new ZulipIndex();
index.addToTopic({ recipient: "105", topic: "A (b) c." }, 1, 77);
