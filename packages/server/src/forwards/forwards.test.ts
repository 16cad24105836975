import { expect, test } from "bun:test";
import type { VoiceNote } from "@parley/protocol/voice-notes";
import { code, keepCallers, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { joinUnpaid } from "../../test/support/join.ts";
import { writableChannel } from "../channels/access/access.ts";
import { createChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { transact } from "../db/transact.ts";
import { addReference } from "../files/blobs.store.ts";
import { insertFile, setVoice } from "../files/files.store.ts";
import { recordOf } from "../files/sending.ts";
import { actingFor, rightsNow } from "../http/acts/act.ts";
import { postMessage } from "../messages/append/post-message.ts";
import { forward } from "./forwards.service.ts";
import { postFrom } from "./source.ts";

/** Gives the message a voice note with these words. */
async function giveNote(
  { ctx, messageId, from }: { ctx: AppContext; messageId: number; from: { id: number } },
  text: string,
) {
  const bytes = { sha256: "ab".repeat(32), size_bytes: 5 };
  await addReference(ctx.db, { sha256: bytes.sha256, size: bytes.size_bytes }, "key");
  const place = { channel_id: from.id, message_id: messageId, user_id: null, agent_id: null, kept_until: null };
  const noPicture = { width: null, height: null, alt_text: null, small_sha256: null, large_sha256: null };
  const type = { name: "note.webm", mime_type: "audio/webm", kind: "audio", status: "ready", voice: null } as const;
  await insertFile(ctx.db, { ...bytes, ...place, ...noPicture, ...type, uploader_name: "ann", created_at: 1 });
  await giveTranscript(ctx.db, text);
}

/** Changes the words of the only file, in its message as well. */
async function giveTranscript(db: Db, text: string | null) {
  const transcript = text === null ? null : { text, language: null, agent_id: null, agent_name: null, created_at: "" };
  const voice = JSON.stringify({ duration_ms: 1, waveform: [], transcript } satisfies VoiceNote);
  const file = await db.selectFrom("files").selectAll().where("message_id", "is not", null).executeTakeFirstOrThrow();
  await setVoice(db, file.id, voice);
  const files = JSON.stringify([recordOf({ ...file, voice })]);
  await db.updateTable("messages").set({ files }).where("id", "=", file.message_id).execute();
}

/** Changes between the check of a forward and the transaction that stores it (protocol §13.15). */
eachDatabase((_name, open) => {
  const start = async () => {
    const database = await open();
    const ctx = testContext(database);
    keepCallers(ctx);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const from = await createChannel(ctx, ann, { name: "From" });
    const to = await createChannel(ctx, ann, { name: "To" });
    for (const { id } of [from, to]) await joinUnpaid(ctx, bob, { id });
    const channel = await writableChannel(ctx, ann, { id: from.id });
    const { id: messageId } = await postMessage(ctx, { caller: ann, channel, content: "the text" });
    /** Forwards as Bob. `meanwhile` runs in the transaction, before it is decided again, and once. */
    const forwardWhile = async (meanwhile: (db: Db) => Promise<unknown>) => {
      const acting = actingFor(ctx, bob, rightsNow(ctx));
      let hasRun = false;
      acting.act?.remember(async ({ db }: AppContext) => {
        if (!hasRun) await meanwhile(db);
        hasRun = true;
      });
      acting.act?.decideAtWrite();
      const posted = await forward(acting, bob, messageId, { channel_id: to.id });
      return JSON.parse(posted.json);
    };
    return { ctx, bob, from, messageId, forwardWhile, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  test("a limit of age that is switched on meanwhile leaves a link alone", async () => {
    await using scene = await start();
    const { forwarded } = await scene.forwardWhile((db) =>
      db.updateTable("channels").set({ retention_days: 7 }).where("id", "=", scene.from.id).execute(),
    );
    expect(forwarded).toMatchObject({ is_copy: false, content: null, username: null });
  });

  test("a price that is set meanwhile leaves a link alone", async () => {
    await using scene = await start();
    const price = JSON.stringify({ amount: "1000", currency: "ETH", chain_id: 31_337 });
    const { forwarded } = await scene.forwardWhile((db) =>
      db.updateTable("channels").set({ price }).where("id", "=", scene.from.id).execute(),
    );
    expect(forwarded).toMatchObject({ is_copy: false, content: null, username: null });
  });

  test("an edit meanwhile is in the copy, and so is the name of a writer who was erased", async () => {
    await using scene = await start();
    const change = { content: "edited", sender_name: "deleted-user", user_id: null };
    const { forwarded } = await scene.forwardWhile((db) =>
      db.updateTable("messages").set(change).where("id", "=", scene.messageId).execute(),
    );
    expect(forwarded).toMatchObject({ is_copy: true, content: "edited", username: "deleted-user" });
  });

  test("a transcript that is removed after its file was copied has the message read again", async () => {
    await using scene = await start();
    await giveNote(scene, "words that are taken back");
    const read: boolean[] = [];
    await postFrom(scene.ctx, scene.messageId, async ({ files }, step) => {
      read.push(files?.includes("taken back") === true);
      await giveTranscript(scene.ctx.db, null);
      await transact(scene.ctx, (ctx) => step.open(ctx, []));
      if (step.isStale) throw new Error("read it again");
    });
    expect(read).toEqual([true, false]);
  });

  test("a message that is deleted meanwhile is not forwarded", async () => {
    await using scene = await start();
    const deleted = scene.forwardWhile((db) =>
      db.updateTable("messages").set({ content: "", deleted_at: 1 }).where("id", "=", scene.messageId).execute(),
    );
    await expect(deleted).rejects.toEqual(code("message_deleted"));
    expect(await scene.ctx.db.selectFrom("forwards").selectAll().execute()).toEqual([]);
  });

  test("a message of a channel that the forwarder loses meanwhile is not forwarded", async () => {
    await using scene = await start();
    const lost = scene.forwardWhile(async (db) => {
      await db.updateTable("channels").set({ is_private: 1 }).where("id", "=", scene.from.id).execute();
      const place = db.deleteFrom("channel_members").where("channel_id", "=", scene.from.id);
      await place.where("user_id", "=", scene.bob.userId).execute();
    });
    await expect(lost).rejects.toEqual(code("message_not_found"));
    expect(await scene.ctx.db.selectFrom("forwards").selectAll().execute()).toEqual([]);
  });
});
