import { expect } from "bun:test";
import type { Client } from "./servers/test-server.ts";

/** Forwards a message, and returns the answer. */
export const forward = (who: Client, id: number, body: object) => who.post(`/api/messages/${id}/forward`, body);

/** Forwards a message, and returns the record of the new one. */
export async function forwarded(who: Client, id: number, channel_id: number, more: object = {}) {
  const { status, body } = await forward(who, id, { channel_id, ...more });
  expect([status, body.code]).toEqual([201, undefined]);
  return body.chat_message;
}

/** Returns the sources of forwarded messages that the caller may read. */
export const sourcesFor = async (who: Client, ...ids: number[]) =>
  (await who.get(`/api/forwards?message_ids=${ids.join(",")}`)).body.sources;

/** Returns the texts of a channel's newest messages. */
export const textsIn = async (who: Client, id: number): Promise<string[]> =>
  (await who.get(`/api/messages?channel_id=${id}`)).body.messages.map(({ content }: { content: string }) => content);
