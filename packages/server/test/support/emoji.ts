import type { Client } from "./servers/test-server.ts";

/** Returns a form as browsers send it. */
export function emojiForm(name: string | undefined, picture: Uint8Array, fileName = "emoji.png"): FormData {
  const data = new FormData();
  if (name !== undefined) data.set("name", name);
  data.set("picture", new File([Buffer.from(picture)], fileName));
  return data;
}

/** Sends an emoji, and returns the answer. */
export const addEmoji = (who: Client, name: string | undefined, picture: Uint8Array, fileName?: string) =>
  who.post("/api/emoji", undefined, { raw: emojiForm(name, picture, fileName) });

/** Fetches the picture at an emoji's URL. */
export async function emojiPicture(server: { url: string }, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, { headers });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}
