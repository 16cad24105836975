import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Json, listOf, messagesOf } from "../support/exports/read-export.ts";
import { exported } from "../support/exports/round-trip.ts";
import { addParleysOwn, fillServer } from "../support/exports/scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

describe("an export in Slack's form", async () => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }));
  const scene = await fillServer(server);
  await addParleysOwn(server, scene);
  const { path, line } = await exported(server, "slack");
  const town = messagesOf(path, "town");
  // A fresh list each time: the matchers of Bun change what they compare.
  const idOf = (name: string): string => listOf(path, "users.json").find((user) => user.name === name)?.id;
  const said = (begin: string): Json => town.find(({ text }) => text.startsWith(begin));

  test("has the lists and fields that other programs read", () => {
    const users = listOf(path, "users.json");
    for (const user of users)
      expect(user).toMatchObject({ id: expect.stringMatching(/^U[A-Z0-9]+$/), profile: { email: expect.any(String) } });
    expect(users.find(({ is_bot }) => is_bot)).toMatchObject({
      name: "scout",
      profile: { bot_id: expect.stringMatching(/^B/), real_name_normalized: "Scout" },
    });
    const [channel] = listOf(path, "channels.json").filter(({ name }) => name === "town");
    expect(channel).toMatchObject({
      creator: idOf("ada"),
      topic: { value: "Fish &amp; &lt;chips&gt;" },
      members: expect.arrayContaining([idOf("ada"), idOf("ben"), idOf("cora")]),
      pins: [{ type: "C", id: said("A question").ts }],
    });
    expect(listOf(path, "groups.json")).toMatchObject([{ name: "secret" }]);
    expect(listOf(path, "mpims.json")).toMatchObject([{ name: expect.stringMatching(/^mpdm-ada--ben--cora-/) }]);
    const direct = listOf(path, "dms.json");
    expect(direct.map(({ members }) => members.length)).toEqual([2, 2]);
    for (const { id } of direct) expect(messagesOf(path, id)).toHaveLength(1);
  });

  test("has messages in the order of their times, in the file of their day", () => {
    const times = town.map(({ ts }) => ts);
    expect(new Set(times).size).toBe(times.length);
    expect(times.toSorted()).toEqual(times);
    for (const ts of times) expect(ts).toMatch(/^\d{10}\.\d{6}$/);
  });

  test("has threads, edits and reactions as Slack writes them", () => {
    const question = said("A question");
    expect(question).toMatchObject({ thread_ts: question.ts, reply_count: 3 });
    expect(question.reactions).toEqual([
      { name: "+1::skin-tone-4", users: [idOf("ada"), idOf("ben")], count: 2 },
      { name: "party_parrot", users: [idOf("cora")], count: 1 },
      { name: "heart", users: [idOf("cora")], count: 1 },
    ]);
    expect(said("Everybody")).toMatchObject({ subtype: "thread_broadcast", thread_ts: question.ts });
    expect(said("second, *edited*").edited).toEqual({ user: idOf("ben"), ts: expect.stringMatching(/^\d+\.\d{6}$/) });
    expect(said("Good day")).toMatchObject({
      subtype: "bot_message",
      user: idOf("scout"),
      text: `Good day, <@${idOf("ada")}>`,
    });
    const deleted = town.find(({ subtype }) => subtype === "tombstone");
    expect(said("I answered that").thread_ts).toBe(deleted.ts);
  });

  test("encodes what would be a command, and converts nothing in code", () => {
    expect(said("&lt;!here&gt;").text).toStartWith("&lt;!here&gt; &amp; &lt;@U0000&gt; &lt;script&gt;");
    expect(said("```").text).toBe("```\n&lt;!here&gt; *a* &amp; b\n  indented :tada:\n```");
  });

  test("has the bytes of files beside it, and descriptions with them", () => {
    const files = town.flatMap(({ files = [] }) => files);
    expect(files).toHaveLength(4);
    expect(files[0]).toMatchObject({ name: "ein Bild.png", alt_txt: "A dot", mimetype: "image/png" });
    for (const { id, name, size } of files) expect(readFileSync(join(path, "__uploads", id, name)).length).toBe(size);
    expect(JSON.stringify(files)).not.toContain("url_private");
  });

  test("shows what a message answers as a shared message", () => {
    expect(said("I quote it").attachments).toMatchObject([
      { is_share: true, author_name: "ada", text: "The first thing" },
    ]);
  });

  test("says in its report what it leaves out", () => {
    const report = JSON.parse(readFileSync(line.report, "utf8"));
    expect(report).toMatchObject({ format: "slack", status: "done", counts: line.counts, left_out: line.left_out });
    expect(line.left_out.map(({ kind, reason }: Json) => `${kind} ${reason}`)).toEqual([
      "message expires",
      "emoji not_in_format",
    ]);
    expect(existsSync(join(path, "INCOMPLETE.txt"))).toBe(false);
  });
});
