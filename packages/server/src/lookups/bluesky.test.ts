import { describe, expect, test } from "bun:test";
import { stillClock } from "../../test/support/clock.ts";
import { AnsweringServer, answer } from "../../test/support/servers/answering-server.ts";
import { createLog } from "../logging/log.ts";
import { blueskyLookup } from "./bluesky.ts";
import { LookupClient } from "./lookup-client.ts";
import { postLookupConformance } from "./post-lookup.conformance.ts";
import type { BlueskyRef } from "./post-url.ts";
import answers from "./test-data/bluesky.json";

const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
const RESOLVE = "/xrpc/com.atproto.identity.resolveHandle";
const ref: BlueskyRef = { provider: "bluesky", actor: "ana.example.com", recordKey: "3lbcdefghij2k" };
const target = `/xrpc/app.bsky.feed.getPosts?uris=at%3A%2F%2F${DID.replaceAll(":", "%3A")}%2Fapp.bsky.feed.post%2F3lbcdefghij2k`;

postLookupConformance("Bluesky", {
  make: (client, url) => blueskyLookup(client, { url }),
  ref,
  answers,
  before: { [RESOLVE]: answers.resolve },
  expected: {
    provider: "bluesky",
    accountId: DID,
    handle: "ana.example.com",
    text: "My code is K7QM-2RTX",
    // The network's time, an hour after the time the author claims.
    createdAt: Date.UTC(2026, 10, 20, 10),
    kind: "original",
    url: `https://bsky.app/profile/${DID}/post/3lbcdefghij2k`,
  },
  target,
});

describe("an author's handle on Bluesky", () => {
  async function lookup(server: AnsweringServer, asked: BlueskyRef) {
    const client = new LookupClient({ clock: stillClock(), log: createLog({ level: "silent", readable: false }) });
    return blueskyLookup(client, { url: server.url }).lookup(asked);
  }

  test("is not resolved if it is a DID", async () => {
    await using server = await AnsweringServer.start();
    server.answering = answer(answers.good);
    expect((await lookup(server, { ...ref, actor: DID })).accountId).toBe(DID);
    expect(server.asked.map((asked) => asked.target)).toEqual([target]);
  });

  test.each<[string, { status: number; body: unknown }, string]>([
    [
      "is unknown",
      { status: 400, body: { error: "InvalidRequest", message: "Unable to resolve handle" } },
      "post_not_found",
    ],
    ["is unknown (newer wording)", { status: 400, body: { error: "HandleNotFound" } }, "post_not_found"],
    ["cannot be resolved", { status: 400, body: { error: "ExpiredToken" } }, "social_lookup_failed"],
    [
      "resolves to something that is not a DID",
      { status: 200, body: { did: "at://../../etc" } },
      "social_lookup_failed",
    ],
  ])("gets the right error if it %s", async (_, recorded, code) => {
    await using server = await AnsweringServer.start();
    server.answering = answer(recorded);
    await expect(lookup(server, ref)).rejects.toMatchObject({ code });
    expect(server.asked.map((asked) => asked.target)).toEqual([`${RESOLVE}?handle=ana.example.com`]);
  });
});
