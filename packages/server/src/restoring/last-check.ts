import { type Static, Type } from "typebox";
import { parsed } from "../replica/format.ts";
import type { ReplicaStorage } from "../replica/storage.ts";

/** The newest restore that has checked the replica. In the replica, so that it outlives the server's disk. */
const LastCheck = Type.Object({
  /** Epoch milliseconds. */
  at: Type.Integer({ minimum: 0 }),
  /** The time of the state that was restored. */
  restored_to: Type.Integer({ minimum: 0 }),
});
export type LastCheck = Static<typeof LastCheck>;

const NAME = "last-check.json";

/** Returns the newest successful check; null: there was none. Throws `ReplicaDamage`, or if the replica does not answer. */
export async function lastCheck(storage: ReplicaStorage): Promise<LastCheck | null> {
  const bytes = await storage.read(NAME);
  return bytes === null ? null : parsed(LastCheck, bytes, NAME);
}

export const noteCheck = (storage: ReplicaStorage, check: LastCheck): Promise<void> =>
  storage.write(NAME, Buffer.from(JSON.stringify(check)));
