import { expect, test } from "bun:test";
import { BAD_TEXT, startFakeClamd } from "../support/files/fake-clamd.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

/** Files that wait for the scanner are scanned every 20 s. */
const OFTEN = { timing: { jobRate: 400 } };

const upload = (client: Client, text: string) => {
  const form = new FormData();
  form.set("file", new Blob([text]), "a.bin");
  return client.post("/api/files", undefined, { raw: form });
};
const send = (client: Client, id: number) => client.post("/api/messages", { channel_slug: "general", file_ids: [id] });

test("a server with a virus scanner refuses what it finds, and holds files while it is away", async () => {
  await using clamd = await startFakeClamd();
  const { hostname: host, port } = new URL(`tcp://${clamd.address}`);
  await using server = await startTestServer({ clamav: { host, port: Number(port) } }, OFTEN);
  const ann = await server.user("ann");
  const clean = await upload(ann, "harmless");
  expect(clean.status).toBe(201);
  expect((await send(ann, clean.body.file.file_id)).status).toBe(201);
  expect(await upload(ann, `x${BAD_TEXT}`)).toMatchObject({ status: 422, body: { code: "file_blocked" } });
  clamd.mode = "hang up";
  const held = await upload(ann, "who knows");
  expect(held).toMatchObject({ status: 201, body: { file: { status: "scanning" } } });
  const id = held.body.file.file_id;
  expect(await send(ann, id)).toMatchObject({ status: 409, body: { code: "file_not_ready" } });
  expect((await ann.get(held.body.file.url)).status).not.toBe(200);
  clamd.mode = "honest";
  const isReady = async () => (await ann.get(`/api/files/${id}/record`)).body.file?.status === "ready";
  await eventually("the file is scanned", isReady);
  expect((await send(ann, id)).status).toBe(201);
});
