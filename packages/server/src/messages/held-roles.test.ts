import { expect, test } from "bun:test";
import { code, keepCallers, user } from "../../test/support/actors.ts";
import { testContext } from "../../test/support/context.ts";
import { eachDatabase } from "../../test/support/databases.ts";
import { joinUnpaid } from "../../test/support/join.ts";
import { writableChannel } from "../channels/access/access.ts";
import { updateMembership } from "../channels/members/members.service.ts";
import { createChannel, updateChannel } from "../channels/settings/settings.service.ts";
import type { AppContext } from "../context.ts";
import { actingFor, rightsNow } from "../http/acts/act.ts";
import type { UserIdentity } from "../http/identity.ts";
import { postMessage } from "./append/post-message.ts";
import { clearGuardBy } from "./loop-guard/loop-guard.ts";
import { lockThread } from "./threads/threads.service.ts";

interface Room {
  ctx: AppContext;
  bob: UserIdentity;
  id: number;
  rootId: number;
}

async function send(ctx: AppContext, { bob, id }: Room, threadRootId?: number) {
  const channel = await writableChannel(ctx, bob, { id });
  return postMessage(ctx, { caller: bob, channel, content: "late", threadRootId });
}

eachDatabase((_name, open) => {
  const start = async () => {
    const database = await open();
    const ctx = testContext(database);
    keepCallers(ctx);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const { id } = await createChannel(ctx, ann, { name: "Tea" });
    await joinUnpaid(ctx, bob, { id });
    await updateMembership(ctx, ann, { id }, "bob", { role: "admin" });
    const channel = await writableChannel(ctx, ann, { id });
    const { id: rootId } = await postMessage(ctx, { caller: ann, channel, content: "root" });
    return { ctx, ann, bob, id, rootId, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
  };

  /** An act of Bob, an admin, who loses that role when the act is decided again in its transaction. */
  const demotedAct = ({ ctx, bob, id }: Room): AppContext => {
    const acting = actingFor(ctx, bob, rightsNow(ctx));
    acting.act?.remember(async (ctx) => {
      const { db } = ctx;
      await db
        .updateTable("channel_members")
        .set({ role: "member" })
        .where("channel_id", "=", id)
        .where("user_id", "=", bob.userId)
        .execute();
    });
    acting.act?.decideAtWrite();
    return acting;
  };

  test("an admin who is demoted meanwhile locks no thread", async () => {
    await using room = await start();
    await expect(lockThread(demotedAct(room), room.bob, room.rootId, true)).rejects.toEqual(code("forbidden"));
  });

  test("an admin who is demoted meanwhile clears no loop guard", async () => {
    await using room = await start();
    await expect(clearGuardBy(demotedAct(room), room.bob, { id: room.id })).rejects.toEqual(code("forbidden"));
  });

  test("an admin who is demoted meanwhile does not reply in a locked thread, but in others", async () => {
    await using room = await start();
    expect((await send(demotedAct(room), room, room.rootId)).seq).toBe(2);
    await lockThread(room.ctx, room.ann, room.rootId, true);
    await updateMembership(room.ctx, room.ann, { id: room.id }, "bob", { role: "admin" });
    await expect(send(demotedAct(room), room, room.rootId)).rejects.toEqual(code("thread_locked"));
  });

  test("an admin who is demoted meanwhile does not pass slow mode", async () => {
    await using room = await start();
    await updateChannel(room.ctx, room.ann, { id: room.id }, { slow_mode_seconds: 60 });
    await expect(send(demotedAct(room), room)).rejects.toEqual(code("slow_mode"));
  });
});
