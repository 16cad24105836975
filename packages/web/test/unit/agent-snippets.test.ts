import { describe, expect, test } from "bun:test";
import type { Channel } from "@parley/protocol/models";
import { exampleChannel } from "../../src/agents/example-channel.ts";
import { SNIPPETS } from "../../src/agents/key-commands.ts";
import { EN_AGENTS } from "../../src/i18n/en/windows/agents.ts";

const OPEN = { is_private: false, agent_policy: "allow", post_policy: "everyone", price: null };
const channel = (id: number, channel_slug: string, more: Partial<Channel> = {}) =>
  ({ id, channel_slug, ...OPEN, ...more }) as Channel;

describe("the channel of a new agent's first message", () => {
  const [lab, general, vault] = [channel(1, "lab"), channel(2, "general"), channel(3, "vault", { is_private: true })];
  const slugOf = (...of: Parameters<typeof exampleChannel>) => exampleChannel(...of)?.slug;

  test("is the one in view if every agent may write there, else #general, else any such channel", () => {
    expect(slugOf([lab, general, vault], lab)).toBe("lab");
    expect(slugOf([lab, general, vault], vault)).toBe("general");
    expect(slugOf([lab, general, vault], undefined)).toBe("general");
    expect(slugOf([vault, lab], vault)).toBe("lab");
  });

  test("is one of those to which the key is limited, and the agent is added to it where it must be", () => {
    const own = { ...vault, my_role: "owner" } as Channel;
    expect(exampleChannel([lab, general, own], lab, ["general"])).toEqual({ slug: "general", addTo: null });
    expect(exampleChannel([lab, general, own], lab, ["vault"])).toEqual({ slug: "vault", addTo: 3 });
    expect(exampleChannel([lab, general, own], lab, ["vault", "lab"])).toEqual({ slug: "lab", addTo: null });
    expect(exampleChannel([lab], lab, ["elsewhere"])).toEqual({ slug: "elsewhere", addTo: null });
  });

  test.each<[string, Partial<Channel>]>([
    ["is private", { is_private: true }],
    ["keeps agents out", { agent_policy: "deny" }],
    ["has agents answer only", { agent_policy: "mention_only" }],
    ["lets only admins write", { post_policy: "admins" }],
    ["has a price", { price: { amount: "1", currency: "points", chain_id: 0 } as unknown as Channel["price"] }],
  ])("is none that %s", (_, more) => {
    expect(exampleChannel([channel(1, "general", more)], undefined)).toBeNull();
  });
});

test("every snippet has texts, speaks to this server, and names the agent and the channel", () => {
  const access = { url: "https://chat.example.org", apiKey: "ply_0_secret", name: "Weather Bot", channel: "lab" };
  expect(SNIPPETS.map(({ id }) => id).sort()).toEqual(Object.keys(EN_AGENTS.snippets).sort() as "curl"[]);
  for (const { text } of SNIPPETS)
    for (const part of [access.url, '"lab"', '"Weather Bot"']) expect(text(access)).toContain(part);
});
