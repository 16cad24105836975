import type { ChatMessage } from "@parley/protocol/models";
import type { Client } from "./servers/test-server.ts";

/** The answer to the sender of a message. */
export interface Said {
  message_id: number;
  seq: number;
  chat_message: ChatMessage;
}

/** Posts a text to a room, by its id or its slug, and returns the answer. Throws if it is refused. */
export async function say(who: Client, room: number | string, text = "hello", more: object = {}): Promise<Said> {
  const place = typeof room === "number" ? { channel_id: room } : { channel_slug: room };
  const { status, body } = await who.post("/api/messages", { ...place, content: text, ...more });
  if (status !== 201) throw new Error(`The message is refused: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** The same, and returns the message's id. */
export const sayId = async (who: Client, room: number | string, text?: string, more?: object): Promise<number> =>
  (await say(who, room, text, more)).message_id;
