import { beforeEach } from "bun:test";
import type { Client } from "../../../server/test/support/servers/test-server.ts";
import type { ServerWorld } from "./browser-world.ts";

/** A channel of ana that ben has joined. */
export interface Hall {
  readonly ana: Client;
  readonly ben: Client;
  readonly id: number;
  /** Sends a message as ana. */
  say(content: string, more?: object): ReturnType<Client["post"]>;
}

/** Makes the channel `hall` for each test of a `describe`. */
export function eachHall(world: ServerWorld): Hall {
  let made: Pick<Hall, "ana" | "ben" | "id">;
  beforeEach(async () => {
    const [ana, ben] = [await world.server.user("ana"), await world.server.user("ben")];
    const id = (await ana.post("/api/channels", { name: "Hall" })).body.channel_id;
    await ben.post(`/api/channels/${id}/join`, {});
    made = { ana, ben, id };
  });
  return {
    get ana() {
      return made.ana;
    },
    get ben() {
      return made.ben;
    },
    get id() {
      return made.id;
    },
    say: (content, more = {}) => made.ana.post("/api/messages", { channel_id: made.id, content, ...more }),
  };
}
