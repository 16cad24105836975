import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { systemClock } from "../../clock.ts";
import { isUnavailable, openDatabase } from "../database.ts";
import { StartupError } from "../startup-error.ts";
import { connectionProblem } from "./connections.ts";

test("warns when the pools and locks of all servers exceed PostgreSQL's limit, and says what would fit", () => {
  expect(connectionProblem(8, 10, { limit: 97, open: 0 })).toBeNull();
  expect(connectionProblem(9, 10, { limit: 97, open: 0 })).toBe(
    "9 servers with PARLEY_POSTGRES_POOL=10 can open 99 connections, and PostgreSQL allows 97; raise max_connections or set PARLEY_POSTGRES_POOL to 9",
  );
});

test("a query that finds no connection left fails as unavailable, which clients may retry", () => {
  expect(isUnavailable(Object.assign(new Error("sorry, too many clients already"), { code: "53300" }))).toBe(true);
});

/** A message of PostgreSQL's protocol: it refuses the connection. */
function refusal(code: string, text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
  const head = Buffer.from("E0000");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test("a server that finds no connection left says what to raise or lower", async () => {
  const full = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(refusal("53300", "sorry, too many clients already")));
  });
  await new Promise<void>((resolve) => full.listen(0, "127.0.0.1", resolve));
  const { port } = full.address() as { port: number };
  const url = `postgres://parley@127.0.0.1:${port}/parley`;
  const error = await openDatabase({ kind: "postgres", url }, systemClock).catch((error) => error);
  full.close();
  expect(error).toBeInstanceOf(StartupError);
  expect(error.message).toContain("has no connection left (sorry, too many clients already). Raise max_connections");
  expect(error.message).toContain("PARLEY_POSTGRES_POOL");
});
