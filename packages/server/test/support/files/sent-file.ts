import { expect } from "bun:test";
import type { Client } from "../servers/test-server.ts";

/** Uploads bytes as a file with this name. */
export const upload = (client: Client, bytes: Uint8Array | string, name = "a.bin") => {
  const form = new FormData();
  form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  return client.post("/api/files", undefined, { raw: form });
};

/** Uploads a file and sends it to the channel general. */
export async function sendFile(client: Client, bytes: Uint8Array | string): Promise<{ url: string; sha256: string }> {
  const { status, body } = await upload(client, bytes);
  expect(status).toBe(201);
  const sent = await client.post("/api/messages", { channel_slug: "general", file_ids: [body.file.file_id] });
  expect(sent.status).toBe(201);
  return body.file;
}

/** Fetches a file and follows redirects, without the credential, as a browser does. */
export async function fetchFile(client: Client, url: string, headers: Record<string, string> = {}) {
  const first = await fetch(client.url + url, { headers: { ...client.credential, ...headers }, redirect: "manual" });
  const place = first.headers.get("location");
  return place === null ? first : fetch(place, { headers });
}
