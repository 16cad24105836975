import { describe, expect, test } from "bun:test";
import type { InboxItem } from "@parley/protocol/inbox";
import { pauseAtCommandLine } from "../../src/key-claims/owned-agents.service.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { Client, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Protocol §5 over real HTTP: what an agent learns of what happens to itself. */
eachDatabase(async (_, open) => {
  let agents = 0;
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const ruth = await staff(server, "ruth", 2);

  /** Creates an agent that ruth owns. */
  async function owned() {
    const name = `Helper ${++agents}`;
    const { api_key, agent_id } = (await ruth.post("/api/agents", { agent_name: name })).body;
    const client = new Client(server.url, { authorization: `Bearer ${api_key}` });
    const notices = async (): Promise<InboxItem[]> => (await client.get("/api/agenthub/inbox?kinds=notice")).body.items;
    const login = (slug: string) => client.post("/api/agenthub/login", { channel_slug: slug, agent_name: name });
    return { client, name, id: agent_id as number, credential: { authorization: `Bearer ${api_key}` }, notices, login };
  }
  const pause = (id: number, paused: boolean, by: Client = ruth) => by.put(`/api/agents/${id}`, { paused });
  /** The fence of `rendered` is another one each time. */
  const withoutRendered = ({ rendered, ...item }: Partial<InboxItem> = {}) => item;
  const typesOf = (items: readonly InboxItem[]) => items.map(({ notice }) => notice?.type);

  describe("notices", () => {
    test("tell an agent that its owner paused and resumed it, once for each", async () => {
      const agent = await owned();
      for (const paused of [true, true, false, true, false]) expect((await pause(agent.id, paused)).status).toBe(200);
      const [first, second, ...more] = await agent.notices();
      expect(more).toEqual([]);
      expect(first).toMatchObject({
        kind: "notice",
        agent_name: null,
        channel_id: null,
        channel_slug: null,
        chat_message: null,
        notice: { type: "paused", text: "The agent was paused by its owner.", details: { by: "owner" } },
      });
      expect(first?.rendered).toContain("The agent was paused by its owner.");
      expect(second?.notice?.type).toBe("resumed");
      expect((await agent.client.get("/api/agenthub/mentions?mark_read=false")).body.mentions).toEqual([]);
      expect((await agent.client.post("/api/agenthub/mentions/ack", { up_to_mention_id: 999_999 })).body).toMatchObject(
        {
          acknowledged: 0,
        },
      );
      expect(await agent.notices()).toHaveLength(2);
    });

    test("tell an agent that the staff paused it, over HTTP and at the command line", async () => {
      const agent = await owned();
      const moderator = await staff(server, `mo${agents}`, 1);
      await pause(agent.id, true, moderator);
      await pause(agent.id, false, moderator);
      await pauseAtCommandLine(server.ctx, agent.id, true);
      await pauseAtCommandLine(server.ctx, agent.id, false);
      const items = await agent.notices();
      expect(items.map(({ notice }) => notice?.details)).toEqual([{ by: "staff" }, { by: "staff" }]);
    });

    test("tell an agent that it was removed from a channel it was in", async () => {
      const agent = await owned();
      const { id, slug } = await newChannel(ruth, { is_private: true });
      await ruth.put(`/api/channels/${id}/members/${agent.name}`, {});
      await agent.login(slug);
      await using reader = await EventReader.open(server.url, agent.credential);
      expect((await ruth.delete(`/api/channels/${id}/members/${agent.name}`)).status).toBe(200);
      const { data } = await reader.next(({ event }) => event === "inbox:new");
      const [item] = await agent.notices();
      expect(item).toMatchObject({
        channel_id: id,
        channel_slug: slug,
        notice: { type: "kicked", text: `The agent was removed from the channel "${slug}".` },
      });
      expect(withoutRendered(item)).toEqual(data.item);
    });

    test("tell an agent of a ban, and nothing about channels it was not in", async () => {
      const agent = await owned();
      const [{ id, slug }, other] = [
        await newChannel(ruth, { is_private: false }),
        await newChannel(ruth, { is_private: false }),
      ];
      await agent.login(slug);
      for (const channel of [id, other.id]) {
        expect((await ruth.post(`/api/channels/${channel}/bans`, { agent_name: agent.name })).status).toBe(201);
      }
      const items = await agent.notices();
      expect(typesOf(items)).toEqual(["banned"]);
      expect(items[0]?.channel_id).toBe(id);
    });

    test("of one type about one channel replace each other", async () => {
      const agent = await owned();
      const { id, slug } = await newChannel(ruth, { is_private: false });
      for (let n = 0; n < 3; n += 1) {
        expect((await agent.login(slug)).status).toBe(200);
        expect((await ruth.delete(`/api/channels/${id}/members/${agent.name}`)).status).toBe(200);
      }
      expect(typesOf(await agent.notices())).toEqual(["kicked"]);
    });

    test("an agent that logs in right after a removal stays logged in", async () => {
      const agent = await owned();
      const { id, slug } = await newChannel(ruth, { is_private: false });
      for (let n = 0; n < 40; n += 1) {
        expect((await agent.login(slug)).status).toBe(200);
        expect((await ruth.delete(`/api/channels/${id}/members/${agent.name}`)).status).toBe(200);
      }
    });

    test("do not say that an agent left by itself", async () => {
      const agent = await owned();
      const { slug } = await newChannel(ruth, { is_private: false });
      await agent.login(slug);
      await agent.client.post("/api/agenthub/logout", { channel_slug: slug });
      expect(await agent.notices()).toEqual([]);
    });

    test("are acknowledged like other items", async () => {
      const agent = await owned();
      await pause(agent.id, true);
      await pause(agent.id, false);
      const [one, two] = await agent.notices();
      await agent.client.post("/api/agenthub/inbox/ack", { item_ids: [one?.item_id] });
      expect((await agent.notices()).map(withoutRendered)).toEqual([withoutRendered(two)]);
    });
  });
});
