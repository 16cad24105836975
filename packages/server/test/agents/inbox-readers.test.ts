import { expect, test } from "bun:test";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, eventually, startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const agent = await server.agent("Reader");
const read = (query: string) => agent.get(`/api/agenthub/inbox?${query}`);
const newReader = async (): Promise<string> => (await read("reader=new")).body.reader;

test("a newer program takes an inbox over, and the waiting older one is refused", async () => {
  const older = await newReader();
  let refused: Answered | undefined;
  void read(`reader=${older}&wait=30`).then((answer) => {
    refused = answer;
  });
  // The call waits at some time from now on, and hears of the next program.
  await eventually("it is refused", async () => {
    expect((await newReader()) > older).toBe(true);
    return refused;
  });
  expect([refused?.status, refused?.body.code]).toEqual([409, "inbox_taken"]);
});

test("an older program that waits beside a newer one is refused, and the newer one waits on", async () => {
  // Of two in one millisecond, chance decides which is the newer one.
  const [older = "", newer = ""] = [await newReader(), await newReader()].sort();
  const waiting = read(`reader=${newer}&wait=30`);
  expect((await read(`reader=${older}&wait=30`)).body.code).toBe("inbox_taken");
  const bob = await server.user("bob");
  await bob.post("/api/messages", { channel_slug: "general", content: "@Reader hello" });
  const { status, body } = await waiting;
  expect([status, body.count, body.reader]).toEqual([200, 1, newer]);
});

test("a call without a reader has none in its answer, and a malformed one is refused", async () => {
  expect((await read("limit=1")).body.reader).toBeUndefined();
  for (const reader of ["1", "newer", "0000000000000-zz"])
    expect((await read(`reader=${reader}`)).body.code).toBe("invalid_request");
});
