import { expect, test } from "bun:test";
import { createPublicKey, verify } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rotateSigningKey } from "../../src/messages/cards/receipts.ts";
import { askCard, asked, pressCard } from "../support/cards.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const GUIDE = join(import.meta.dir, "../../../../docs/guide/cards.md");

/** Runs the guide's commands against real answers, outside of Parley (docs/guide/cards.md). */
test("a receipt is verified by the guide's program and by openssl, and no change of it is", async () => {
  await using server = await startTestServer();
  const [agent, ann] = [await server.agent("Shipper"), await server.user("ann")];
  const sent = (await askCard(agent)).body;
  await pressCard(ann, sent.message_id, "approve");
  const answer = (await agent.get(`/api/interactions/${sent.message_id}`)).body;
  const keys = (await server.guest.get("/.well-known/parley-keys.json")).body;
  const folder = await mkdtemp(join(tmpdir(), "parley-receipt-"));
  const guide = await Bun.file(GUIDE).text();
  const program = /```js\n(.*?)```/s.exec(guide)?.[1] ?? "";
  await Bun.write(join(folder, "verify.mjs"), program);
  await Bun.write(join(folder, "keys.json"), JSON.stringify(keys));
  const node = (body: object) => run(folder, body, ["node", "verify.mjs", "keys.json", "answer.json"]);
  const openssl = /```bash\n(jq .*?)```/s.exec(guide)?.[1] ?? "";
  const ssl = (body: object) => run(folder, body, ["bash", "-ec", openssl]);

  const whole = { ...answer, chat_message: sent.chat_message };
  expect(await node(whole)).toEqual([0, "decided approve by ann\n"]);
  expect((await ssl(whole))[0]).toBe(0);
  const forged = { ...whole, receipt: { ...answer.receipt, signed: answer.receipt.signed.replace("approve", "deny") } };
  expect((await node(forged))[0]).not.toBe(0);
  expect((await ssl(forged))[0]).not.toBe(0);
  const other = { ...whole, chat_message: { ...sent.chat_message, content: "Delete production?" } };
  expect((await node(other))[0]).not.toBe(0);

  const before = keys.keys[0].key_id;
  const rotated = await rotateSigningKey(server.ctx);
  const { interaction_id: id } = await asked(agent);
  await pressCard(ann, id, "deny");
  const { receipt } = (await agent.get(`/api/interactions/${id}`)).body;
  const both = (await server.guest.get("/.well-known/parley-keys.json")).body.keys;
  expect([receipt.key_id, both.map((key: { key_id: string }) => key.key_id)]).toEqual([rotated, [rotated, before]]);
  expect(both.map(({ retired_at }: { retired_at: string | null }) => retired_at === null)).toEqual([true, false]);
  const pem = createPublicKey(both[0].public_key_pem);
  expect(verify(null, Buffer.from(receipt.signed), pem, Buffer.from(receipt.signature, "base64"))).toBe(true);
});

async function run(folder: string, body: object, command: string[]): Promise<[code: number, out: string]> {
  await Bun.write(join(folder, "answer.json"), JSON.stringify(body));
  const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const out = await new Response(child.stdout).text();
  return [await child.exited, out];
}
