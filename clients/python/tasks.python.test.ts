import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { addEmoji } from "../../packages/server/test/support/emoji.ts";
import { webmOf } from "../../packages/server/test/support/files/sounds.ts";
import { stillGif } from "../../packages/server/test/support/gifs.ts";
import { eventually } from "../../packages/server/test/support/servers/test-server.ts";
import { staff } from "../../packages/server/test/support/staff.ts";
import { contents, Program, start } from "./tests/programs.ts";

describe.each(["threads.py", "tasks.py"])("an agent in Python with %s, beside its answers", (file) => {
  test("lists the emoji of the server, and reacts with one", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    expect((await addEmoji(ana, "my_dot", stillGif(2, 2))).status).toBe(201);
    const said = await ana.post("/api/messages", { channel_slug: "general", content: "Hello" });
    await using program = new Program(file, server.url, scout.apiKey, "emoji", String(said.body.message_id));
    expect(await program.ended()).toEqual(["my_dot 1"]);
  });

  test("makes a poll and closes it", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    await using program = new Program(file, server.url, scout.apiKey, "poll");
    expect(await program.ended()).toEqual(["open closed"]);
    const { messages } = (await ana.get("/api/messages?channel_id=general")).body;
    expect(messages[0].poll).toMatchObject({ question: "Tea?", status: "closed" });
  });

  test("sends a voice note and writes its words", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    const path = join(temporaryFolder(), "note.webm");
    await Bun.write(path, webmOf(2));
    await using program = new Program(file, server.url, scout.apiKey, "voice", path);
    expect(await program.ended()).toEqual(["hello None"]);
    const { messages } = (await ana.get("/api/messages?channel_id=general")).body;
    expect(messages[0].files[0].voice).toMatchObject({ duration_ms: 900, transcript: { text: "hello again" } });
  });

  test("asks for replies, and pins what it wrote", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    const boss = await staff(server, "boss", 3);
    expect((await boss.put("/api/channels/1", { pin_policy: "members" })).status).toBe(200);
    expect((await boss.put("/api/channels/1/members/Scout", {})).status).toBe(200);
    await using program = new Program(file, server.url, scout.apiKey, "replies");
    const pin = await eventually("the pin", async () => (await ana.get("/api/channels/1/pins")).body.messages[0]);
    expect(pin).toMatchObject({ content: "Well?", pinned_by: "Scout", pinned_by_agent_id: scout.agentId });
    await ana.post("/api/messages", { channel_slug: "general", content: "Yes", reply_to_id: pin.id });
    expect(await program.ended()).toEqual(["['reply']", "True Scout", "reply Yes", "False"]);
  });

  test("sends messages later, and changes and cancels them", async () => {
    await using place = await start();
    const { server, ana, scout } = place;
    await using program = new Program(file, server.url, scout.apiKey, "schedule");
    expect(await program.ended()).toEqual([
      "waiting Scout True",
      "True True True",
      "später True",
      "['first', 'später']",
      "cancelled",
      "scheduled_over",
    ]);
    const stored = server.ctx.db.selectFrom("scheduled_messages").select("without_previews").orderBy("id");
    expect(await stored.execute()).toEqual([{ without_previews: 1 }, { without_previews: null }]);
    const due = server.ctx.db.updateTable("scheduled_messages").set({ send_at: Date.now() - 1_000 });
    await due.where("status", "=", "waiting").execute();
    await eventually("it is sent", async () => (await contents(ana)).includes("first"));
    expect(await contents(ana)).toEqual(["root", "first"]);
  });
});
