import { expect, test } from "bun:test";
import type { AppContext } from "../../src/context.ts";
import type { Db } from "../../src/db/db.ts";
import { actingFor, rightsNow } from "../../src/http/acts/act.ts";
import type { AgentIdentity } from "../../src/http/identity.ts";
import { removeTranscript, setTranscript } from "../../src/voice-notes/transcripts.service.ts";
import { code } from "../support/actors.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { sendNote } from "../support/voice-notes.ts";

/** Rights that end between the check of a transcript and the transaction that stores it (protocol §13.18). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx } = server;
  const ann = await server.user("ann");
  let made = 0;

  async function start() {
    const name = `Scribe ${++made}`;
    const { agentId, keyId } = await server.agent(name);
    const { id, slug } = await newChannel(ann, { is_private: true });
    expect((await ann.put(`/api/channels/${id}/members/${encodeURIComponent(name)}`, {})).status).toBeLessThan(300);
    const { chat_message, file_id } = await sendNote(ann, slug);
    const scribe: AgentIdentity = { kind: "agent", keyId, agentId, key: `a${agentId}` };
    /** Acts as the agent. `meanwhile` runs in the transaction, before it is decided again, and once. */
    const actWhile = <T>(meanwhile: (db: Db) => Promise<unknown>, act: (ctx: AppContext) => Promise<T>): Promise<T> => {
      const acting = actingFor(ctx, scribe, rightsNow(ctx));
      let hasRun = false;
      acting.act?.remember(async ({ db }: AppContext) => {
        if (!hasRun) await meanwhile(db);
        hasRun = true;
      });
      acting.act?.decideAtWrite();
      return act(acting);
    };
    const write = (ctx: AppContext) => setTranscript(ctx, scribe, file_id, { text: "words" });
    const wordsOf = async () =>
      (await ann.get(`/api/messages?channel_id=${id}&ids=${chat_message.id}`)).body.messages[0].files[0].voice
        .transcript;
    const leave = (db: Db) => db.deleteFrom("channel_agents").where("agent_id", "=", agentId).execute();
    return { id, scribe, fileId: file_id, actWhile, write, wordsOf, leave };
  }

  test("an agent with every right writes", async () => {
    const { actWhile, write, wordsOf } = await start();
    let isInside = false;
    await actWhile(async (db) => {
      isInside = db.isTransaction;
    }, write);
    expect([isInside, (await wordsOf()).text]).toEqual([true, "words"]);
  });

  test("an agent that is removed meanwhile neither writes nor removes its words", async () => {
    const { actWhile, write, wordsOf, leave } = await start();
    await expect(actWhile(leave, write)).rejects.toEqual(code("file_not_found"));
    expect(await wordsOf()).toBeNull();
    const other = await start();
    await other.actWhile(async () => {}, other.write);
    const remove = (ctx: AppContext) => removeTranscript(ctx, other.scribe, other.fileId);
    await expect(other.actWhile(other.leave, remove)).rejects.toEqual(code("file_not_found"));
    expect(await other.wordsOf()).toMatchObject({ text: "words" });
  });

  test("a channel that closes to agents meanwhile takes no words of them", async () => {
    const { id, actWhile, write, wordsOf } = await start();
    const close = (db: Db) => db.updateTable("channels").set({ post_policy: "admins" }).where("id", "=", id).execute();
    await expect(actWhile(close, write)).rejects.toEqual(code("post_policy"));
    expect(await wordsOf()).toBeNull();
  });
});
