import { expect, test } from "bun:test";
import { FakeNetworks, type NewPost } from "./fake-networks.ts";

interface Written {
  accountId: string;
}

async function accountOf(posts: FakeNetworks, network: NewPost["network"], handle: string): Promise<string> {
  posts.write({ network, handle, text: "Hello." });
  const all = (await (await fetch(`${posts.url}/posts`)).json()) as Written[];
  return all.at(-1)?.accountId ?? "";
}

test.each([
  ["bluesky", /^did:plc:[a-z2-7]{24}$/],
  ["x", /^[1-9]\d{9,17}$/],
  ["mastodon", /^[1-9]\d{9,17}$/],
] as const)("a handle on %s keeps its account after a restart, and no other handle gets it", async (network, form) => {
  using before = new FakeNetworks();
  const ana = await accountOf(before, network, "ana.example.com");
  expect(ana).toMatch(form);
  expect(await accountOf(before, network, "Ana.example.com")).toBe(ana);
  // A database that knows ana must not confuse ben with her.
  using after = new FakeNetworks();
  expect(await accountOf(after, network, "ben.example.com")).not.toBe(ana);
  expect(await accountOf(after, network, "ana.example.com")).toBe(ana);
});
