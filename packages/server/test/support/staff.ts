import { transact } from "../../src/db/transact.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import type { Named, TestServer } from "./servers/test-server.ts";

/** Creates a user with this site level. */
export async function staff(server: TestServer, name: string, level: 1 | 2 | 3): Promise<Named> {
  const client = await server.user(name);
  await setLevel(server, name, level);
  return Object.assign(client, { username: name });
}

/** Sets a user's site level directly, without an acting administrator. */
export async function setLevel({ ctx }: TestServer, name: string, level: 1 | 2 | 3 | null): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { id } = await ctx.db
      .updateTable("users")
      .set({ admin_level: level })
      .where("username", "=", name)
      .returning("id")
      .executeTakeFirstOrThrow();
    publishControl(ctx, "user_changed", id, { isRevocation: true });
  });
}

/** Returns the audit log as `actor action subject`, oldest line first. */
export async function auditLines(server: TestServer): Promise<string[]> {
  const rows = await server.ctx.db.selectFrom("audit_log").selectAll().orderBy("id").execute();
  return rows.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`);
}
