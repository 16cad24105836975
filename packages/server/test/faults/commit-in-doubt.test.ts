import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import type { Kysely, QueryResult } from "kysely";
import type { Config } from "../../src/config/config.ts";
import type { Tables } from "../../src/db/tables/tables.ts";
import { stillDate } from "../support/clock.ts";
import { openMigratedPlace, SERVER_DATABASES } from "../support/databases.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, logIn, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** A database that goes away after it has committed and before it has confirmed, as PostgreSQL does on a restart. */
describe.each(SERVER_DATABASES)("a commit in doubt on %s", (backend) => {
  const world = new AsyncDisposableStack();
  let server: TestServer;
  let ann: Client;
  let bob: Client;
  const fault: Fault = { table: null, refuses: false };

  beforeAll(async () => {
    const config: Partial<Config> =
      backend === "sqlite" ? {} : { database: { kind: "postgres", url: world.use(await openMigratedPlace()).url } };
    // All messages are of one moment, as those of quick retries may be.
    server = world.use(await startTestServer(config, { clock: stillDate() }));
    [ann, bob] = [await server.user("ann"), await server.user("bob")];
    // This makes her a member.
    await ann.post("/api/messages", { channel_slug: "general", content: "hello" });
    breakTransactions(server.ctx.db, fault);
    breakStatements(server.ctx.db, fault);
  });
  afterAll(() => world.disposeAsync());

  const away = async (act: () => Promise<{ status: number; body: { code?: string } }>, table = "messages") => {
    fault.table = table;
    expect(await act()).toMatchObject({ status: 503, body: { code: "storage_unavailable" } });
  };

  test("a commit without confirmation is published to subscribers in order, even if nothing follows it", async () => {
    using socket = await TestSocket.open(server.url);
    const { data } = await socket.command("channel:join", { channel_slug: "general" });
    const body = { channel_slug: "general", content: "one", client_msg_id: "message-1" };
    await away(() => ann.post("/api/messages", body));
    const heard = () => socket.frames.filter(({ data }) => data?.seq > 0).map(({ event }) => event);
    await eventually("the message is heard", () => heard().length === 1);
    const again = await ann.post("/api/messages", body);
    expect(again.body).toMatchObject({ deduplicated: true, seq: data.last_seq + 1 });
    await away(() => ann.put(`/api/messages/${again.body.message_id}`, { content: "two" }));
    await eventually("the edit is heard", () => heard().length === 2);
    expect(heard()).toEqual(["message:new", "message:update"]);
  });

  test("a commit without confirmation notifies the mentioned users, and a rolled-back one does not", async () => {
    const agent = await server.agent("Herald");
    using socket = await TestSocket.open(server.url, bob.credential);
    await using stream = await EventReader.open(server.url, agent.credential);
    await eventually("it listens", () => stream.lastEventId !== null);
    const say = (content: string) => ann.post("/api/messages", { channel_slug: "general", content });
    fault.refuses = true;
    await away(() => say("@bob @Herald lost"));
    fault.refuses = false;
    await away(() => say("@bob @Herald kept"));
    const contents = (events: readonly { event: string; data: { chat_message: { content: string } } }[]) =>
      events.filter(({ event }) => event === "mention:new").map(({ data }) => data.chat_message.content);
    await eventually("the agent hears it", () => contents(stream.events).length > 0);
    await eventually("the user hears it", () => contents(socket.frames).length > 0);
    for (const heard of [stream.events, socket.frames]) expect(contents(heard)).toEqual(["@bob @Herald kept"]);
  });

  test("a membership removed by a commit without confirmation is gone", async () => {
    const { id } = (await ann.post("/api/channels", { name: "Den", is_private: true })).body.channel;
    await ann.put(`/api/channels/${id}/members/bob`, {});
    using socket = await TestSocket.open(server.url, bob.credential);
    await socket.command("channel:join", { channel_id: id });
    await away(() => ann.delete(`/api/channels/${id}/members/bob`), "channel_members");
    expect((await bob.get(`/api/messages?channel_id=${id}`)).status).toBe(404);
    await eventually("the socket hears it", () => socket.frames.some(({ event }) => event === "access:ended"));

    const elsewhere = await logIn(server.url, "bob");
    expect((await elsewhere.get("/api/auth/sessions")).status).toBe(200);
    await away(() => bob.delete("/api/auth/sessions"), "sessions");
    expect((await elsewhere.get("/api/auth/sessions")).status).toBe(401);

    const agent = await server.agent("Scout");
    expect((await agent.get("/api/agenthub/mentions")).status).toBe(200);
    await away(() => agent.delete(`/api/agenthub/agent-api-key/${agent.keyId}`), "api_keys");
    expect((await agent.get("/api/agenthub/mentions")).body.code).toBe("key_revoked");
  });

  test("a mention of an unconfirmed message is announced once, although the sender tries again", async () => {
    using socket = await TestSocket.open(server.url, bob.credential);
    const contents = () =>
      socket.frames.filter(({ event }) => event === "mention:new").map(({ data }) => data.chat_message.content);
    for (const refuses of [true, false]) {
      const content = `@bob ${refuses ? "refused" : "committed"}`;
      const body = { channel_slug: "general", content, client_msg_id: `again-${refuses}` };
      fault.refuses = refuses;
      await away(() => ann.post("/api/messages", body));
      fault.refuses = false;
      expect((await ann.post("/api/messages", body)).body).toMatchObject({ deduplicated: !refuses });
      await eventually("bob hears it", () => contents().includes(content));
    }
    const after = "@bob later";
    await away(() => ann.post("/api/messages", { channel_slug: "general", content: after }));
    await eventually("bob hears that, too", () => contents().includes(after));
    expect(contents()).toEqual(["@bob refused", "@bob committed", after]);
  });

  test("an upload that was not confirmed is repeated by its key, and its file is there", async () => {
    const upload = () => {
      const raw = new FormData();
      raw.set("file", new File(["tide tables"], "tides.txt", { type: "text/plain" }));
      return ann.post("/api/files", undefined, { raw, headers: { "idempotency-key": "upload-in-doubt" } });
    };
    await away(upload, "idempotency_keys");
    const { file } = (await upload()).body;
    const bytes = await fetch(new URL(file.url, server.url), { headers: ann.credential });
    expect([bytes.status, await bytes.text()]).toEqual([200, "tide tables"]);
  });
});

const gone = () => Object.assign(new Error("terminating connection due to administrator command"), { code: "57P01" });

interface Fault {
  /** The next commit that writes to this table is not confirmed; other commits may be those of background work. */
  table: string | null;
  /** That commit fails, too. */
  refuses: boolean;
}

const writes = (statement: string, table: string): boolean =>
  new RegExp(`\\b(insert into|update|delete from) "?${table}\\b`).test(statement);

/** Transactions end as the fault says. */
function breakTransactions(db: Kysely<Tables>, fault: Fault): void {
  const transaction = db.transaction.bind(db);
  spyOn(db, "transaction").mockImplementation(() => {
    const made = transaction();
    const execute = made.execute.bind(made);
    made.execute = async (act) => {
      let isHit = false;
      const result = await execute(async (trx) => {
        onStatement(trx, async (statement, run) => {
          if (fault.table !== null && writes(statement, fault.table)) {
            fault.table = null;
            isHit = true;
          }
          return run();
        });
        const result = await act(trx);
        if (isHit && fault.refuses) throw gone();
        return result;
      });
      if (isHit) throw gone();
      return result;
    };
    return made;
  });
}

/** Statements that store messages outside a transaction, as on PostgreSQL, end as the fault says. */
function breakStatements(db: Kysely<Tables>, fault: Fault): void {
  onStatement(db, async (statement, run) => {
    if (fault.table !== "messages" || !writes(statement, "messages")) return run();
    fault.table = null;
    if (!fault.refuses) await run();
    throw gone();
  });
}

/** Calls `act` instead of each statement. */
function onStatement(
  db: Kysely<Tables>,
  act: <R>(statement: string, run: () => Promise<QueryResult<R>>) => Promise<QueryResult<R>>,
): void {
  const executor = db.getExecutor();
  const provide = executor.provideConnection.bind(executor);
  spyOn(executor, "provideConnection").mockImplementation((use) =>
    provide((connection) =>
      use({
        streamQuery: connection.streamQuery.bind(connection),
        executeQuery: (query, ...rest) => act(query.sql, () => connection.executeQuery<never>(query, ...rest)),
      }),
    ),
  );
}
