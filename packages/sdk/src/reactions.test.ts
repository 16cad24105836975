import { describe, expect, test } from "bun:test";
import type { EventData } from "@parley/protocol/events";
import type { Reaction } from "@parley/protocol/models";
import { reactionsAfter } from "./reactions.ts";

const kind = (reaction: string, count: number, me = false): Reaction => ({ reaction, count, me });
const update = (
  change: Partial<EventData<"reaction:update">> & Pick<EventData<"reaction:update">, "reactions">,
): EventData<"reaction:update"> => ({
  channel_id: 1,
  seq: 2,
  message_id: 3,
  username: "ann",
  agent_name: null,
  agent_id: null,
  reaction: "like",
  added: true,
  ...change,
});

describe("a reaction:update event", () => {
  test.each([
    [
      "by the user marks the reaction as theirs",
      [],
      update({ reactions: [kind("like", 1)] }),
      "ann",
      [kind("like", 1, true)],
    ],
    ["by somebody else marks nothing", [], update({ reactions: [kind("like", 1)] }), "bob", [kind("like", 1)]],
    ["marks nothing for guests", [], update({ reactions: [kind("like", 1)] }), null, [kind("like", 1)]],
    [
      "by somebody else keeps the user's own mark",
      [kind("like", 1, true)],
      update({ username: "bob", reactions: [kind("like", 2)] }),
      "ann",
      [kind("like", 2, true)],
    ],
    [
      "that removes the user's own reaction keeps those of others",
      [kind("like", 2, true), kind("wow", 1, true)],
      update({ added: false, reactions: [kind("like", 1), kind("wow", 1)] }),
      "ann",
      [kind("like", 1), kind("wow", 1, true)],
    ],
    [
      "by an agent is recognized by the agent's id",
      [],
      update({ username: null, agent_name: "Helper", agent_id: 7, reactions: [kind("like", 1)] }),
      7,
      [kind("like", 1, true)],
    ],
  ])("%s", (_, before, event, self, after) => {
    expect(reactionsAfter(before, event, self)).toEqual(after);
  });
});
