import { expect, test } from "bun:test";
import { temporaryFolder } from "../support/config.ts";
import { expectError } from "../support/expect-error.ts";
import { jpegOfScans } from "../support/fuzz/jpeg-bombs.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, logIn, PASSWORD, signUp } from "../support/servers/test-server.ts";

const BOMBS = 8;
/**
 * Generous, for a machine with far more work than cores. When pictures were decoded in the server, a send took half a
 * minute.
 */
const WAIT_MS = 8_000;
/** Logins from one network in production: 10 a minute, five of them for accounts of this test. */
const LOGINS = 4;

const timed = async <T>(act: Promise<T>): Promise<{ ms: number; value: T }> => {
  const start = performance.now();
  const value = await act;
  return { ms: performance.now() - start, value };
};

async function production() {
  const port = freePort();
  const env = { PARLEY_PROFILE: "production", PARLEY_PUBLIC_URL: `http://127.0.0.1:${port}` };
  const server = new ChildServer(temporaryFolder(), port, env);
  await server.start();
  return server;
}

/** Sends, logs in and asks for readiness until the work is done; every response must arrive in time. */
async function useWhile(url: string, ann: Client, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  for (let round = 0; round < LOGINS || !isOver; round++) {
    const [send, ready, login] = await Promise.all([
      timed(ann.post("/api/messages", { channel_slug: "general", content: `round ${round}` })),
      timed(new Client(url).get("/readyz")),
      round < LOGINS ? timed(logIn(url, "ann")) : { ms: 0 },
    ]);
    if (send.value.status !== 429) expect(send.value.status).toBe(201);
    expect(ready.value.status).toBe(200);
    expect(Math.max(send.ms, ready.ms, login.ms)).toBeLessThan(WAIT_MS);
  }
}

test("eight JPEGs with 21,576 scans at once do not delay sends, logins or readiness", async () => {
  await using server = await production();
  const [ann, eve] = [await signUp(server.url, "ann"), await signUp(server.url, "eve")];
  const avatar = jpegOfScans(21_576).toString("base64");
  const bombs = Promise.all(Array.from({ length: BOMBS }, () => eve.put("/api/user/eve", { avatar })));
  await useWhile(server.url, ann, bombs);
  for (const answer of await bombs) expectError(answer, 400, "invalid_avatar");
});

test("the most expensive allowed pictures of several accounts are decoded in turn, beside sends and logins", async () => {
  await using server = await production();
  const ann = await signUp(server.url, "ann");
  const names = ["eve", "mallory"];
  const avatar = jpegOfScans(100).toString("base64");
  const uploads = names.map(async (name) => {
    const user = await signUp(server.url, name, PASSWORD);
    return Promise.all(Array.from({ length: BOMBS }, () => user.put(`/api/user/${name}`, { avatar })));
  });
  const answers = Promise.all(uploads);
  await useWhile(server.url, ann, answers);
  for (const each of await answers) {
    expect(each.map(({ status }) => status)).toContain(200);
    for (const answer of each) if (answer.status !== 200) expectError(answer, 429, "rate_limited");
  }
});
