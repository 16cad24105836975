import { describe, expect, test } from "bun:test";
import { ChannelExport, ChannelExportLine, UserExport } from "@parley/protocol/privacy";
import Schema from "typebox/schema";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { stillGif } from "../support/gifs.ts";
import { say } from "../support/say.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";
import { newSticker } from "../support/stickers.ts";

/** Copies of a user's own data and of channels, over real HTTP and on every database (protocol §0, §7). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const ruth = await staff(server, "ruth", 2);

  const copyOf = async (who: Client, name: string) => {
    const answer = await who.get(`/api/user/${name}/export`);
    expect(answer.status).toBe(200);
    return answer;
  };
  let rooms = 0;
  const room = async (owner: Client, settings: object = {}): Promise<number> =>
    (await owner.post("/api/channels", { name: `Room ${++rooms}`, ...settings })).body.channel_id;

  describe("GET /api/user/:username/export", () => {
    test("contains everything of the user, and nothing of others", async () => {
      await ann.put("/api/user/ann", { email: "ann@example.org" });
      await ann.post("/api/channels/1/leave");
      const tea = await room(ann);
      const first = (await say(ann, tea, "mine, with “quotes” \u2028 and 🎉")).chat_message;
      const bobs = await say(bob, tea, "bob's");
      await ann.put(`/api/messages/${bobs.message_id}/reactions/like`);
      await ann.put(`/api/messages/${first.id}/reactions/like`);
      await ann.post(`/api/messages/${bobs.message_id}/report`, { reason: "noise" });
      await newSticker(ann, stillGif(1, 1, "ann's"));
      const direct = (await ann.post("/api/direct", { username: "bob" })).body.channel_id;
      await say(ann, direct, "between us");
      const shares = [];
      for (const count of [1, 2]) {
        const packet = { channel_id: tea, total_amount: "6", count, split_type: "equal" };
        const { packet_id } = (await bob.post("/api/red-packets", packet)).body;
        shares.push((await ann.post(`/api/red-packets/${packet_id}/claim`)).body.claim);
      }
      await issueKey(server.ctx, { agentName: "Anns Bot", ownerUsername: "ann" });
      const { headers, body } = await copyOf(ann, "ANN");
      expect(Schema.Check(UserExport, body)).toBeTrue();
      expect(headers.get("content-disposition")).toBe('attachment; filename="ann.json"');
      expect(headers.get("cache-control")).toBe("no-store");
      expect(body).toMatchObject({ format: "parley-user-export", version: 1, complete: true });
      expect(body.user).toMatchObject({
        username: "ann",
        email: "ann@example.org",
        invited_users: 0,
        language: null,
        message_count: 2,
      });
      expect(body.user.invite_code).toBeString();
      expect(body.messages.map(({ content }: { content: string }) => content)).toEqual([first.content, "between us"]);
      expect(body.messages[0].reactions).toEqual([{ reaction: "like", count: 1, me: true }]);
      expect(body.memberships.map(({ role, direct_with }: Record<string, unknown>) => [role, direct_with])).toEqual([
        ["owner", null],
        ["member", "bob"],
      ]);
      expect(body.reactions.map(({ message_id }: { message_id: number }) => message_id)).toEqual([
        first.id,
        bobs.message_id,
      ]);
      expect(body.reports).toMatchObject([{ message_id: bobs.message_id, reason: "noise", status: "open" }]);
      // Newest first, as everywhere.
      expect(body.ledger.map(({ kind, amount }: Record<string, unknown>) => [kind, amount])).toEqual([
        ["packet_claim", "3"],
        ["packet_claim", "6"],
        ["grant", "100"],
      ]);
      expect(body.claims).toMatchObject(
        shares.map(({ claim_id, packet_id, amount, claimed_at }) => ({ claim_id, packet_id, amount, claimed_at })),
      );
      expect(body.stickers[0].url).toMatch(/^\/api\/stickers\/\d+\/file$/);
      expect(body.agents[0]).toMatchObject({ agent_names: ["Anns Bot"], owner_verified: true });
      expect(body.agents[0].keys[0].key_prefix).toMatch(/^ply_/);
      expect(body.sessions).toHaveLength(1);
      expect(body.devices).toEqual([
        { user_agent: expect.any(String), created_at: expect.any(String), last_used_at: expect.any(String) },
      ]);
      for (const [name, count] of Object.entries(body.counts)) expect(body[name]).toHaveLength(count as number);
      expect(JSON.stringify(body)).not.toContain("bob's");
      expect(JSON.stringify(body)).not.toContain("argon2");
    });

    test("is allowed only to the user themselves", async () => {
      expectError(await server.guest.get("/api/user/ann/export"), 401, "session_required");
      const agent = await server.agent();
      expectError(await agent.get("/api/user/ann/export"), 401, "session_required");
      for (const who of [bob, ruth]) expectError(await who.get("/api/user/ann/export"), 403, "forbidden");
      expectError(await ruth.get("/api/user/nobody/export"), 404, "user_not_found");
    });
  });

  describe("GET /api/channels/:channel_id/export", () => {
    const linesOf = (text: string): ChannelExportLine[] => {
      const lines = text.trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line) as ChannelExportLine);
    };
    const path = (id: number, more = "") => `/api/channels/${id}/export${more}`;

    test("contains the channel, its members, pins and messages, and marks itself complete", async () => {
      const tea = await room(ann);
      const sent = [];
      for (let n = 0; n < 5; n += 1) sent.push(await say(n % 2 === 0 ? ann : bob, tea, `${n}\nand more`));
      await ann.post(`/api/messages/${sent[1]?.message_id}/pin`);
      await ann.put(`/api/messages/${sent[1]?.message_id}/reactions/like`);
      await bob.delete(`/api/messages/${sent[3]?.message_id}`);
      const history = (await ann.get(`/api/messages?channel_id=${tea}`)).body.messages;
      const answer = await ann.get(path(tea));
      expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="room-\d+\.jsonl"$/);
      const lines = linesOf(answer.body);
      for (const line of lines) expect(Schema.Check(ChannelExportLine, line)).toBeTrue();
      const kinds = lines.map(({ type }) => type);
      expect(kinds).toEqual(["channel", "member", "member", "pin", ...Array(5).fill("message"), "end"]);
      expect(lines[0]).toMatchObject({ format: "parley-channel-export", version: 1, channel: { id: tea } });
      expect(lines.flatMap(({ message }) => message ?? [])).toEqual(history);
      expect(lines[3]?.pin).toMatchObject({ message_id: sent[1]?.message_id, pinned_by: "ann" });
      const counts = { members: 2, pins: 1, messages: 5 };
      expect(lines.at(-1)).toEqual({ type: "end", counts, last_seq: lines[0]?.channel?.last_seq ?? 0, complete: true });

      const { body } = await ann.get(path(tea, "?format=json"));
      expect(Schema.Check(ChannelExport, body)).toBeTrue();
      expect(body).toMatchObject({ counts, complete: true, pins: [{ message_id: sent[1]?.message_id }] });
      expect(body.messages).toEqual(history);
    });

    test("is free for the owner, and for administrators under audit", async () => {
      const hidden = await room(ann, { is_private: true });
      const locked = await room(ann, { is_private: true, password: "open sesame" });
      const open = await room(ann);
      await ann.put(`/api/channels/${open}/members/bob`, { role: "admin" });
      const agent = await server.agent();
      expectError(await server.guest.get(path(open)), 401, "session_required");
      for (const who of [bob, agent]) expectError(await who.get(path(open)), 403, "forbidden");
      const moderator = await staff(server, "maud", 1);
      expectError(await moderator.get(path(open)), 403, "forbidden");
      for (const who of [bob, server.guest, agent]) {
        expectError(await who.get(path(hidden)), 404, "channel_not_found");
        expectError(await who.get(path(locked)), 403, "password_required");
      }
      for (const id of [hidden, locked, open]) {
        expect((await ann.get(path(id))).status).toBe(200);
        expect((await ruth.get(path(id))).status).toBe(200);
        expect(await auditLines(server)).toContain(`ruth channel_export channel:${id}`);
      }
      expectError(await ann.get(path(99_999)), 404, "channel_not_found");
      expectError(await ann.get("/api/channels/x/export"), 400, "invalid_id");
      expectError(await ann.get(path(open, "?format=xml")), 400, "invalid_request");
    });

    test("of a direct conversation is allowed only to its two users", async () => {
      const direct = (await ann.post("/api/direct", { username: "bob" })).body.channel_id;
      for (const who of [ann, bob]) expect((await who.get(path(direct))).status).toBe(200);
      const cid = await server.user("cid");
      expectError(await cid.get(path(direct)), 404, "channel_not_found");
    });

    test("reads page after page to the end", async () => {
      const big = await room(bob);
      await server.ctx.db
        .insertInto("messages")
        .values(
          Array.from({ length: 1_203 }, (_, n) => ({
            channel_id: big,
            seq: n + 1,
            type: "text" as const,
            content: `message ${n}`,
            sender_type: "user" as const,
            sender_name: "bob",
            created_at: 0,
          })),
        )
        .execute();
      await server.ctx.db.updateTable("channels").set({ last_seq: 1_203 }).where("id", "=", big).execute();
      const lines = linesOf((await bob.get(path(big))).body);
      expect(lines.flatMap(({ message }) => message?.seq ?? [])).toEqual(
        Array.from({ length: 1_203 }, (_, n) => n + 1),
      );
      expect(lines.at(-1)).toMatchObject({ counts: { messages: 1_203 }, complete: true });
    });
  });
});

test("a user can make five copies an hour, of any kind", async () => {
  await using server = await startTestServer({ rateLimits: "on", rateFactor: 1 });
  const ann = await server.user("ann");
  const { channel_id } = (await ann.post("/api/channels", { name: "Tea" })).body;
  const statuses: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    for (const path of ["/api/user/ann/export", `/api/channels/${channel_id}/export`]) {
      statuses.push((await ann.get(path)).status);
    }
  }
  expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
  expect(statuses[5]).toBe(429);
});
