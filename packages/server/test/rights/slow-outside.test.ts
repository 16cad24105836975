import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ChainWorld } from "../support/chains/chain-world.ts";
import { expectError } from "../support/expect-error.ts";
import { during } from "../support/rights/slow-call.ts";
import type { TestServer } from "../support/servers/test-server.ts";
import { type Answered, type Client, logIn, startTestServer } from "../support/servers/test-server.ts";
import { SoftPasskey } from "../support/soft-passkey.ts";

/** Slow calls of routes that need a chain or an authenticator, which the world of slow-walk.test.ts has not. */

/** Ends all sessions of the user where only the database knows, while the act's slow call waits. */
const ended = (server: TestServer, username: string, act: () => Promise<Answered>): Promise<Answered> =>
  during(server, act, () =>
    server.ctx.db
      .deleteFrom("sessions")
      .where("user_id", "in", (eb) => eb.selectFrom("users").select("id").where("username", "=", username))
      .execute(),
  );

describe("a session that ends while a chain is asked", () => {
  let world: ChainWorld;
  beforeAll(async () => {
    world = await ChainWorld.start();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const again = (username: string): Promise<Client> => logIn(world.server.url, username);
  const packets = async (): Promise<number> =>
    (await world.server.ctx.db.selectFrom("packets").select("id").execute()).length;

  test("makes no red packet", async () => {
    const before = await packets();
    const ann = await again("ann");
    expectError(await ended(world.server, "ann", () => world.create({}, ann)), 401, "session_required");
    expect(await packets()).toBe(before);
  });

  test("funds no red packet", async () => {
    const { packet_id } = (await world.create({}, await again("ann"))).body;
    const ann = await again("ann");
    const funded = await ended(world.server, "ann", () => world.fund(packet_id, world.put(), ann));
    expectError(funded, 401, "session_required");
    const { red_packet } = await world.read(packet_id, await again("ann"));
    expect(red_packet).toMatchObject({ status: "pending_funding", funding: { status: "waiting" } });
  });

  test("claims no share", async () => {
    const ann = await again("ann");
    const { packet_id } = (await world.create({}, ann)).body;
    expect((await world.fund(packet_id, world.put(), ann)).status).toBe(200);
    const bob = await again("bob");
    expectError(await ended(world.server, "bob", () => world.claim(packet_id, bob)), 401, "session_required");
    expect((await world.claim(packet_id, await again("bob"))).status).toBe(200);
  });
});

test("a session that ends while a passkey is checked adds none", async () => {
  const origin = "https://chat.example.org";
  await using server = await startTestServer({ publicUrl: origin, rateLimits: "off" });
  const eve = await server.user("eve");
  const { options } = (await eve.post("/api/auth/passkeys/options", {})).body;
  const credential = new SoftPasskey(origin).register(options);
  const add = () => eve.post("/api/auth/passkeys", { name: "laptop", credential });
  expectError(await ended(server, "eve", add), 401, "session_required");
  expect(await server.ctx.db.selectFrom("passkeys").select("id").execute()).toEqual([]);
});
