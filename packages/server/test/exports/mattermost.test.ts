import { describe, expect, test } from "bun:test";
import { refusalsOf } from "../support/exports/mattermost-rules.ts";
import { linesOf, recordsOf } from "../support/exports/read-export.ts";
import { exported } from "../support/exports/round-trip.ts";
import { addParleysOwn, fillServer } from "../support/exports/scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { putMessages } from "../support/put-messages.ts";
import { say, sayId } from "../support/say.ts";
import { startTestServer } from "../support/servers/test-server.ts";

describe("an export for Mattermost", async () => {
  const server = await forAllTests(startTestServer({ rateLimits: "off", publicUrl: "https://chat.example.org" }));
  const scene = await fillServer(server);
  await addParleysOwn(server, scene);
  const { path, line } = await exported(server, "mattermost");
  const posts = recordsOf(path, "post");
  const textLike = (begin: string) => posts.find(({ message }) => message.startsWith(begin));

  test("has nothing that Mattermost's server would refuse", () => {
    expect(refusalsOf(path, linesOf(path))).toEqual([]);
  });

  test("has people with their names, addresses and pictures, and agents as bots", () => {
    const users = Object.fromEntries(recordsOf(path, "user").map((user) => [user.username, user]));
    expect(users.ada).toMatchObject({ email: "ada@example.org", nickname: "Ada Berg", roles: "system_user" });
    expect(users.ben).toMatchObject({ email: "ben@parley.invalid", profile_image: expect.stringMatching(/ben\.\w+$/) });
    expect(users.ada.teams[0].channels).toContainEqual({ name: "town", roles: "channel_user channel_admin" });
    expect(recordsOf(path, "bot")).toEqual([{ username: "scout", owner: "chat-example-org", display_name: "Scout" }]);
    expect(recordsOf(path, "team")).toMatchObject([{ name: "chat-example-org", type: "I" }]);
    expect(recordsOf(path, "emoji")).toMatchObject([{ name: "party_parrot" }]);
  });

  test("says what no other chat has in text, or as a file", () => {
    expect(textLike("> ")).toMatchObject({ message: "> **ada:** The first thing\n\nI quote it" });
    expect(textLike("Look").message).toContain("The first _thing_");
    expect(textLike("Tea or").message).toBe("Tea or \\*coffee\\*?\n- Tea (0)\n- Coffee (0)");
    const files = posts.flatMap(({ attachments = [] }) => attachments);
    expect(files).toHaveLength(4);
    expect(files.filter(({ path: name }: { path: string }) => name.endsWith(".gif"))).toHaveLength(1);
  });

  test("leaves out what will disappear, and what was deleted unless it has replies", () => {
    const texts = posts.map(({ message }) => message);
    expect(texts.filter((text) => text.includes("gone"))).toEqual([]);
    expect(textLike("(message deleted)").replies).toMatchObject([{ message: "I answered that" }]);
    expect(line.left_out).toContainEqual({
      kind: "message",
      reason: "expires",
      count: 1,
      examples: [expect.any(String)],
    });
  });
});

test("two messages of one person in a millisecond get times that differ", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const [ada, ben] = [await server.user("ada"), await server.user("ben")];
  const root = await sayId(ada, "general", "a root");
  for (let number = 0; number < 4; number += 1) await say(ada, "general", `n${number}`);
  await say(ada, "general", "a reply", { thread_root_id: root });
  await say(ben, "general", "of another");
  const at = Date.UTC(2024, 0, 1);
  await server.ctx.db.updateTable("messages").set({ created_at: at }).execute();
  await server.ctx.db
    .updateTable("messages")
    .set({ created_at: at + 1 })
    .where("content", "=", "n3")
    .execute();
  const { path, line } = await exported(server, "mattermost");
  const posts = recordsOf(path, "post");
  const times = posts.flatMap(({ user, create_at, replies = [] }) => [
    [user, create_at - at],
    ...replies.map((reply: { user: string; create_at: number }) => [reply.user, reply.create_at - at]),
  ]);
  expect(times).toEqual([
    ["ada", 0],
    ["ada", 5],
    ["ada", 1],
    ["ada", 2],
    ["ada", 3],
    ["ada", 4],
    ["ben", 0],
  ]);
  expect(line.counts.messages).toMatchObject({ taken: 7, changed: 5 });
});

test("a text that is longer than a post is several posts", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const ada = await server.user("ada");
  await say(ada, "general", "short");
  const long = `${"word ".repeat(5_000)}end`;
  await server.ctx.db.updateTable("messages").set({ content: long }).execute();
  const { path } = await exported(server, "mattermost");
  expect(refusalsOf(path, linesOf(path))).toEqual([]);
  const posts = recordsOf(path, "post");
  expect(posts.length).toBe(2);
  expect(posts.map(({ message }) => message).join(" ")).toBe(long);
});

test("a thread that is too long for a line goes on in another post", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const ada = await server.user("ada");
  const root = await sayId(ada, "general", "a root");
  const [channel] = await server.ctx.db.selectFrom("channels").select(["last_seq", "created_at"]).execute();
  const at = (channel?.created_at ?? 0) + 60_000;
  const reply = (place: number) => ({ thread_root_id: root, content: "x".repeat(16_000), created_at: at + place });
  await putMessages(
    server.ctx,
    Array.from({ length: 900 }, (_, place) => reply(place)),
  );
  await server.ctx.db
    .updateTable("messages")
    .set({ thread: JSON.stringify({ count: 900 }) })
    .where("id", "=", root)
    .execute();
  const { path, line } = await exported(server, "mattermost");
  const threads = recordsOf(path, "post").map(({ message, replies }) => [message, replies.length]);
  expect(threads).toEqual([
    ["a root", expect.any(Number)],
    ["(the thread goes on)", expect.any(Number)],
  ]);
  expect(threads.reduce((sum, [, replies]) => sum + replies, 0)).toBe(900);
  expect(line.counts.replies.taken).toBe(900);
  expect(refusalsOf(path, linesOf(path))).toEqual([]);
});

test("addresses are each only once", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const [ada, ben] = [await server.user("ada"), await server.user("ben")];
  await ada.put("/api/user/ada", { email: "us@example.org" });
  await ben.put("/api/user/ben", { email: "US@example.org" });
  const { path } = await exported(server, "mattermost");
  expect(recordsOf(path, "user").map(({ email }) => email)).toEqual(["us@example.org", "ben@parley.invalid"]);
});
