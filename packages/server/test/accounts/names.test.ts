import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

/** Names that hide or imitate others, over HTTP (protocol §2). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  const register = (username: string) => server.guest.post("/api/auth/register", { username, password: PASSWORD });

  describe("a username", () => {
    test("is taken if it looks like another user's, and details names that user", async () => {
      expect((await register("alice")).status).toBe(201);
      for (const username of ["a1ice", "aIice", "A1ice"]) {
        const answer = await register(username);
        expectError(answer, 409, "username_taken");
        expect(answer.body.details).toEqual([
          { path: "username", rule: "looks_like", name: "alice", message: 'looks like "alice"' },
        ]);
      }
      expectError(await register("ALICE"), 409, "username_taken");
    });

    test("is refused if it looks like a reserved name", async () => {
      for (const username of ["adm1n", "ADM1N", "adrnin", "rnoderator", "r00t", "P1atformAgent", "admin.", "root-"]) {
        const answer = await register(username);
        expectError(answer, 400, "invalid_username");
        expect(answer.body.details).toEqual([expect.objectContaining({ path: "username", rule: "reserved" })]);
      }
    });

    test("does not differ by a dot or hyphen at its end, which would get another user's mentions", async () => {
      const bob = await server.user("robert");
      for (const username of ["robert.", "robert-", "Robert.-"]) {
        expectError(await register(username), 409, "username_taken");
      }
      expect((await register("maria.")).status).toBe(201);
      expectError(await register("maria"), 409, "username_taken");
      const { body } = await bob.post("/api/messages", { channel_slug: "general", content: "ask @alice." });
      expect(body.chat_message.mentions).toEqual([{ type: "user", name: "alice", offset: 4, length: 6 }]);
    });

    test("is given to one of two users who register look-alikes at once", async () => {
      const answers = await Promise.all(["willow1", "wi1lowl", "willowl", "wiIIowI"].map(register));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    });

    test("cannot log in and is not mentioned if it only looks like the right one", async () => {
      const bill = await server.user("bill");
      const login = (username: string) => server.guest.post("/api/auth/login", { username, password: PASSWORD });
      expect((await login("BILL")).status).toBe(200);
      expectError(await login("bi11"), 401, "invalid_credentials");
      const { body } = await bill.post("/api/messages", { channel_slug: "general", content: "@a1ice and @Alice" });
      expect(body.chat_message.mentions).toEqual([{ type: "user", name: "alice", offset: 11, length: 6 }]);
    });
  });

  describe("an agent's name", () => {
    const CALLS = {
      login: (agent_name: string) => ({ channel_slug: "general", agent_name }),
      send: (agent_name: string) => ({ channel_slug: "general", agent_name, message: "hello" }),
      typing: (agent_name: string) => ({ channel_slug: "general", agent_name, typing: true }),
    };

    test.each(Object.entries(CALLS))("is refused on %s if it is invisible, mixed or reserved", async (path, body) => {
      const agent = await server.agent();
      for (const [name, problem] of [
        ["\u1160", { rule: "invisible_character", character: "U+1160" }],
        ["\u3164", { rule: "invisible_character", character: "U+1160" }],
        ["\uffa0", { rule: "invisible_character", character: "U+1160" }],
        ["carol\u1160", { rule: "invisible_character", character: "U+1160" }],
        ["carol\u{e0061}", { message: expect.stringContaining("pattern") }],
        ["carol\ufe0f", { rule: "invisible_character", character: "U+FE0F" }],
        ["\u0430dmin", { rule: "mixed_scripts", scripts: ["Cyrillic", "Latin"] }],
        ["adm1n", { rule: "reserved" }],
        ["PlatforrnAgent", { rule: "reserved" }],
      ] as const) {
        const answer = await agent.post(`/api/agenthub/${path}`, body(name));
        expectError(answer, 400, "invalid_agent_name");
        expect(answer.body.details).toEqual([expect.objectContaining({ path: "agent_name", ...problem })]);
      }
      expect((await agent.post(`/api/agenthub/${path}`, body("PlatformAgent"))).body.success).toBe(true);
    });

    test("is taken if it looks like a user's or another agent's, and the reverse", async () => {
      const [one, other] = [await server.agent("Scout-1"), await server.agent()];
      const send = (agent_name: string) => other.post("/api/agenthub/send", CALLS.send(agent_name));
      await server.user("dora1");
      for (const [name, like] of [
        ["Scout-l", "Scout-1"],
        ["Sc0ut-I", "Scout-1"],
        ["doraI", "dora1"],
      ] as const) {
        const answer = await send(name);
        expectError(answer, 409, "agent_name_taken");
        expect(answer.body.details).toEqual([expect.objectContaining({ rule: "looks_like", name: like })]);
      }
      expect((await send("\u0421\u041e\u0421\u041e")).status).toBe(201); // all Cyrillic
      expectError(await register("coco"), 409, "username_taken");
      expectError(await register("scout-l"), 409, "username_taken");
      expect((await one.post("/api/agenthub/send", CALLS.send("scout-1"))).body.agent_name).toBe("Scout-1");
    });
  });

  describe("a channel's name", () => {
    const NAMES: [string, object][] = [
      ["general\u1160", { rule: "invisible_character", character: "U+1160" }],
      ["general\u{e0067}", { rule: "invisible_character", character: "U+E0067" }],
      ["general\u202e", { rule: "invisible_character", character: "U+202E" }],
      ["general\ufe0f", { rule: "invisible_character", character: "U+FE0F" }],
      ["gener\u0430l", { rule: "mixed_scripts", scripts: ["Latin", "Cyrillic"] }],
      ["room 1\u0663", { rule: "mixed_scripts", scripts: ["Latin", "Arabic"] }],
    ];

    test("is refused if invisible or mixed, for new and renamed channels", async () => {
      const ann = await server.user("ann");
      const { channel_id } = (await ann.post("/api/channels", { name: "Hall" })).body;
      for (const [name, problem] of NAMES) {
        for (const answer of [
          await ann.post("/api/channels", { name }),
          await ann.put(`/api/channels/${channel_id}`, { name }),
        ]) {
          expectError(answer, 400, "invalid_channel_name");
          expect(answer.body.details).toEqual([expect.objectContaining({ path: "name", ...problem })]);
        }
      }
    });

    test("from before the current rules is kept while nobody changes it", async () => {
      const fay = await server.user("fay");
      const { channel_id } = (await fay.post("/api/channels", { name: "Hall" })).body;
      const name = "gener\u0430l";
      await server.ctx.db.updateTable("channels").set({ name }).where("id", "=", channel_id).execute();
      const changed = await fay.put(`/api/channels/${channel_id}`, { name, topic: "as ever" });
      expect([changed.status, changed.body.channel]).toEqual([
        200,
        expect.objectContaining({ name, topic: "as ever" }),
      ]);
    });

    test("is stored in NFC, and emoji keep their joiners", async () => {
      const eve = await server.user("eve");
      const made = await eve.post("/api/channels", { name: "Cafe\u0301 ❤️ 👩‍💻" });
      expect(made.body.channel.name).toBe("Café ❤️ 👩‍💻");
    });
  });
});
