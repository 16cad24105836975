import { expect, test } from "bun:test";
import type { HistoryResponse } from "@parley/protocol/messages";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const ann = await server.user("ann");
  await ann.post("/api/channels", { name: "Hall" });
  const ids: number[] = [];
  for (const content of ["one", "two", "three"]) {
    ids.push((await ann.post("/api/messages", { channel_slug: "hall", content })).body.message_id);
  }

  test("messages are returned by their ids in order, once each, without those of other channels and missing ones", async () => {
    const elsewhere = (await ann.post("/api/messages", { channel_slug: "general", content: "elsewhere" })).body;
    await ann.put(`/api/messages/${ids[2]}/reactions/like`);
    await ann.delete(`/api/messages/${ids[1]}`);
    const asked = [ids[2], ids[0], ids[2], ids[1], elsewhere.message_id, 999_999_999];
    const { status, body } = await ann.get(`/api/messages?channel_id=hall&ids=${asked.join(",")}`);
    expect(status).toBe(200);
    expect(
      body.messages.map(({ content, is_deleted }: HistoryResponse["messages"][0]) => [content, is_deleted]),
    ).toEqual([
      ["one", false],
      ["", true],
      ["three", false],
    ]);
    expect(body.messages[2].reactions).toEqual([{ reaction: "like", count: 1, me: true }]);
    expect(body).toMatchObject({ has_more: false, next_before: null });
    const { body: page } = await ann.get("/api/messages?channel_id=hall");
    expect(body.last_seq).toBe(page.last_seq);
  });

  test.each([
    "ids=",
    "ids=x",
    "ids=0",
    "ids=1,,2",
    "ids=1&before=1",
    `ids=${Array.from({ length: 51 }, () => 1).join(",")}`,
  ])("the query %s is not a valid list of message ids", async (query) => {
    expectError(await ann.get(`/api/messages?channel_id=hall&${query}`), 400, "invalid_cursor");
  });
});
