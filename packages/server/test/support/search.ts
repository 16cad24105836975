import { expect } from "bun:test";
import type { Answered, Client } from "./servers/test-server.ts";

type Query = Record<string, string | number>;

/** Searches for messages. */
export const ask = (who: Client, query: Query): Promise<Answered> => {
  const fields = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return who.get(`/api/search/messages?${new URLSearchParams(fields)}`);
};

/** Returns the texts of the messages on the first page of a search. */
export async function found(who: Client, query: Query): Promise<string[]> {
  const { status, body } = await ask(who, query);
  expect(status).toBe(200);
  return body.messages.map(({ content }: { content: string }) => content);
}
