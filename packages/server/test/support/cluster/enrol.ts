import { expect } from "bun:test";
import { type Answered, Client, cookieOf, eventually, PASSWORD } from "../servers/test-server.ts";

/**
 * Posts, and tries again while the node refuses for a moment (503), as every client does: a busy machine may starve a node
 * of its heartbeat, and then it serves nothing until it has joined again.
 */
export const postPatiently = (client: Client, path: string, body: object = {}): Promise<Answered> =>
  eventually("the node accepts it", async () => {
    const answer = await client.post(path, body);
    return answer.status === 503 ? null : answer;
  });

/** Registers a user at a node of a lab, and returns a client with their session. */
export async function enrol(url: string, username: string): Promise<Client> {
  const answer = await postPatiently(new Client(url), "/api/auth/register", { username, password: PASSWORD });
  expect([answer.status, answer.body.code]).toEqual([201, undefined]);
  return new Client(url, { cookie: cookieOf(answer) });
}
