import { afterEach, beforeEach, expect, test } from "bun:test";
import { PASSWORD, startTestServer, type TestServer } from "../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../src/client.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server[Symbol.asyncDispose]());

async function person(username: string): Promise<ParleyClient> {
  const client = new ParleyClient({ url: server.url });
  await client.accounts.register({ username, password: PASSWORD });
  return client;
}

test("calls for red packets return what the server stored", async () => {
  const [ana, ben] = [await person("ana"), await person("ben")];
  const body = { channel_slug: "general", total_amount: "10", count: 2 };
  const { packet_id, red_packet } = await ana.packets.create(body, { idempotencyKey: "once-for-ever" });
  expect(red_packet.status).toBe("active");
  expect(await ana.packets.create(body, { idempotencyKey: "once-for-ever" })).toMatchObject({
    packet_id,
    deduplicated: true,
  });
  const other = await ana.packets.create(body);
  expect(other.packet_id).not.toBe(packet_id);
  const { claim } = await ben.packets.claim(packet_id);
  expect((await ben.packets.claim(packet_id)).claim).toEqual(claim);
  expect((await ana.packets.get(packet_id)).claims).toEqual([claim]);
  const { red_packets } = await ben.packets.list({ channel_slug: "general" });
  expect(red_packets.map((packet) => [packet.packet_id, packet.my_claim])).toEqual([
    [other.packet_id, null],
    [packet_id, claim],
  ]);
  expect((await ana.packets.cancel(other.packet_id)).red_packet.status).toBe("refunded");
  await expect(ana.packets.cancel(packet_id)).rejects.toMatchObject({ code: "packet_claimed", status: 409 });
  await expect(ana.packets.fund(packet_id, "0x1")).rejects.toMatchObject({ code: "packet_not_active" });
});
