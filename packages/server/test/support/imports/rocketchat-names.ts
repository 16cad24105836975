import type { Names } from "../../../src/imports/sources/rocketchat/text/specials.ts";

/** The people and channels that texts name in tests. */
export const server: Names["server"] = {
  hosts: new Set(["chat.acme.example"]),
  names: new Map([
    ["u1", "ada.b"],
    ["u2", "ben"],
  ]),
  userIds: new Map([
    ["ada.b", "u1"],
    ["ben", "u2"],
  ]),
  rooms: new Map([["r1", { id: "r1", name: "ops", kind: "public" as const }]]),
  roomIds: new Map([["ops", "r1"]]),
  ownEmoji: new Set(["parrot"]),
};
export const read = { server, people: new Map([["old.name", "u2"]]), channels: new Map([["Xy2", "r1"]]) };
