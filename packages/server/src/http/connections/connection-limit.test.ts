import { expect, test } from "bun:test";
import { ConnectionTable } from "./connection-limit.ts";
import { PEER_BYTES, type ProcessSockets } from "./process-sockets.ts";

const PORT = 3000;

/**
 * A process whose descriptors are connections from these addresses; `port` tells one connection from the next. `end` is
 * the last descriptor for which its table has a place.
 */
function fakeProcess(end = -1) {
  const open = new Map<number, { address: string; port: number }>();
  const asked: number[] = [];
  let ports = 0;
  const addresses: string[] = [];
  const shared = new Uint8Array(PEER_BYTES);
  const sockets: ProcessSockets = {
    descriptorEnd: async () => Math.max(end, ...open.keys()) + 1,
    peerOf(descriptor) {
      asked.push(descriptor);
      const peer = open.get(descriptor);
      if (peer === undefined) return null;
      if (!addresses.includes(peer.address)) addresses.push(peer.address);
      shared.set([peer.port, addresses.indexOf(peer.address)]);
      return shared;
    },
    addressIn: (peer) => addresses[peer[1] ?? -1] ?? "",
    localPort: () => PORT,
    shutDown: (descriptor) => void open.delete(descriptor),
  };
  const connect = (descriptor: number, address: string) => void open.set(descriptor, { address, port: ++ports });
  const table = new ConnectionTable(sockets, PORT, (address) => address === "proxy");
  return { open, asked, connect, table };
}

test("each connection is looked at once a scan while no network has too many", async () => {
  const { asked, connect, table } = fakeProcess();
  for (let descriptor = 0; descriptor < 10; descriptor += 1) connect(descriptor, `10.0.0.${descriptor % 5}`);
  expect(await table.enforce(2)).toBe(0);
  asked.length = 0;
  expect(await table.enforce(2)).toBe(0);
  expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("the newest connections of a crowded network are cut, and a reused descriptor is a new connection", async () => {
  const { open, connect, table } = fakeProcess();
  for (const descriptor of [1, 2, 3]) connect(descriptor, "10.0.0.1");
  for (const descriptor of [4, 5, 6, 7]) connect(descriptor, "proxy");
  expect(await table.enforce(3)).toBe(0);
  open.delete(1);
  connect(1, "10.0.0.1");
  connect(8, "10.0.0.1");
  expect(await table.enforce(2)).toBe(2);
  expect([...open.keys()].sort()).toEqual([2, 3, 4, 5, 6, 7]);
  expect(await table.enforce(2)).toBe(0);
});

test("connections that have ended do not count", async () => {
  const { open, connect, table } = fakeProcess();
  for (const descriptor of [1, 2]) connect(descriptor, "10.0.0.1");
  await table.enforce(2);
  open.clear();
  for (const descriptor of [3, 4]) connect(descriptor, "10.0.0.1");
  expect(await table.enforce(2)).toBe(0);
  expect(open.size).toBe(2);
});

test("a table that was full once is rarely walked through, and connections above a gap are found and followed", async () => {
  const { open, asked, connect, table } = fakeProcess(100_000);
  const asksOf = async (limit: number) => {
    asked.length = 0;
    return { closed: await table.enforce(limit), count: asked.length };
  };
  for (let descriptor = 0; descriptor < 10; descriptor += 1) connect(descriptor, "10.0.0.1");
  expect((await asksOf(100)).count).toBe(100_001);
  expect((await asksOf(100)).count).toBeLessThan(1_100);
  // A burst takes the free places in order; then those below close.
  for (let descriptor = 10; descriptor < 5_000; descriptor += 1) connect(descriptor, "10.0.0.2");
  expect((await asksOf(10_000)).closed).toBe(0);
  for (let descriptor = 0; descriptor < 4_998; descriptor += 1) open.delete(descriptor);
  const { closed, count } = await asksOf(1);
  expect([closed, [...open.keys()]]).toEqual([1, [4_998]]);
  expect(count).toBeLessThan(6_100);
  open.clear();
  await table.enforce(1);
  expect((await asksOf(1)).count).toBeLessThan(1_100);
});

test("connections that hide above a gap are found by the tenth scan", async () => {
  const { open, connect, table } = fakeProcess(100_000);
  await table.enforce(1);
  for (const descriptor of [50_000, 50_001]) connect(descriptor, "10.0.0.1");
  let closed = 0;
  for (let scan = 0; scan < 10; scan += 1) closed += await table.enforce(1);
  expect([closed, [...open.keys()]]).toEqual([1, [50_000]]);
});
