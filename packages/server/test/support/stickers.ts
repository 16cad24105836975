import type { Client } from "./servers/test-server.ts";

/** Returns a form as browsers send it. */
export function form(
  gif: Uint8Array<ArrayBuffer>,
  { name, fileName = "a.gif" }: { name?: string; fileName?: string } = {},
): FormData {
  const data = new FormData();
  data.set("file", new File([gif], fileName, { type: "image/gif" }));
  if (name !== undefined) data.set("sticker_name", name);
  return data;
}

/** Uploads a GIF and returns its record. */
export async function newSticker(client: Client, gif: Uint8Array<ArrayBuffer>) {
  const { status, body } = await client.post("/api/stickers/upload", undefined, { raw: form(gif) });
  if (status >= 300) throw new Error(`upload: ${status} ${JSON.stringify(body)}`);
  return body.sticker;
}

/** Fetches the file at a sticker's URL. */
export async function uploaded(url: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, { headers });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}
