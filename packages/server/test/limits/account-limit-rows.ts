import { OPEN_INVITATIONS_MAX } from "@parley/protocol/invitations";
import { CHANNELS_PER_USER } from "@parley/protocol/limits";
import { REMINDERS_PER_USER } from "@parley/protocol/reminders";
import { SAVED_MAX } from "@parley/protocol/saved";
import { SCHEDULED_PER_SENDER } from "@parley/protocol/scheduled";
import { newChannel } from "../support/new-channel.ts";
import type { Answered, Client } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { AT_ONCE, at, idOf, type LimitRow, repeat, roomOf } from "./limit-rows.ts";

const KIB = 1024;
/** The numbers that SETTINGS permits. */
const QUOTA = 1024 * KIB;
const SIZE = 100 * KIB;

/** Uploads a file of other bytes for each number; waits for one of the few places for uploads at once. */
async function upload(client: Client, n: number): Promise<Answered> {
  for (;;) {
    const raw = new FormData();
    raw.set("file", new File([`${n} `.padEnd(SIZE, "x")], `${n}.txt`, { type: "text/plain" }));
    const answer = await client.post("/api/files", undefined, { raw });
    if (answer.body.code !== "overloaded") return answer;
  }
}

/** Limits of what accounts have outside channels. */
export const ACCOUNT_LIMIT_ROWS: readonly LimitRow[] = [
  {
    name: "open invitations of a user",
    code: "invitation_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      await repeat(OPEN_INVITATIONS_MAX - 1, () => ann.post("/api/invitations", {}));
      return (n) => at(scene, ann, n).post("/api/invitations", {});
    },
  },
  {
    name: "scheduled messages of a user",
    code: "scheduled_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const send_at = new Date(scene.server.ctx.clock.now() + 3_600_000).toISOString();
      const schedule = (client: Client) =>
        client.post("/api/scheduled", { channel_slug: "general", content: "later", send_at });
      await repeat(SCHEDULED_PER_SENDER - 1, () => schedule(ann));
      return (n) => schedule(at(scene, ann, n));
    },
  },
  {
    name: "saved messages of a user",
    code: "saved_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const { messageIds } = await roomOf(ann, AT_ONCE);
      const { ctx } = scene.server;
      const user_id = await idOf(scene, ann.username);
      const rows = Array.from({ length: SAVED_MAX - 1 }, (_, n) => ({
        user_id,
        message_id: 5_000_000 + n,
        created_at: 1,
      }));
      await ctx.db.insertInto("saved_messages").values(rows).execute();
      return (n) => at(scene, ann, n).put(`/api/saved/${messageIds[n % AT_ONCE]}`, {});
    },
  },
  {
    name: "reminders of a user",
    code: "reminder_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const remind_at = new Date(scene.server.ctx.clock.now() + 3_600_000).toISOString();
      const said = await ann.post("/api/messages", { channel_slug: "general", content: "hello" });
      const { message_id } = said.body;
      const remind = (client: Client) => client.post("/api/reminders", { message_id, remind_at });
      await repeat(REMINDERS_PER_USER - 1, () => remind(ann));
      return (n) => remind(at(scene, ann, n));
    },
  },
  {
    name: "uses of an invitation",
    code: "invitation_used_up",
    async prepare(scene) {
      const ann = await scene.person();
      const { code } = (await ann.post("/api/invitations", {})).body.invitation;
      return (n) =>
        at(scene, ann, n).post("/api/auth/register", {
          username: `of_${code}_${n}`,
          password: "a long enough password",
          invite_code: code,
        });
    },
  },
  {
    name: "bytes of files of a user",
    code: "quota_reached",
    async prepare(scene) {
      const ann = await scene.person();
      await repeat(Math.floor(QUOTA / SIZE) - 1, (n) => upload(ann, n));
      return (n) => upload(at(scene, ann, n), 100 + n);
    },
  },
  {
    name: "channels of a user whose deleted ones are restored",
    code: "channel_limit_reached",
    async prepare(scene) {
      const ann = await scene.person();
      const admin = await staff(scene.server, `admin-of-${ann.username}`, 2);
      const deleted: number[] = [];
      for (let n = 0; n < AT_ONCE; n++) {
        const { id } = await newChannel(ann);
        await repeat(1, () => ann.delete(`/api/channels/${id}`));
        deleted.push(id);
      }
      await repeat(CHANNELS_PER_USER - 1, (n) => ann.post("/api/channels", { name: `own ${n}` }));
      return (n) => at(scene, admin, n).post(`/api/admin/channels/${deleted[n]}/restore`);
    },
  },
];
