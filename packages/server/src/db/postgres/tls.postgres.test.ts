import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, connect as dial } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { PostgresCluster } from "../../../test/support/faults/postgres-cluster.ts";
import { systemClock } from "../../clock.ts";
import { openDatabase } from "../database.ts";
import { inspectDatabase } from "../inspect.ts";
import { readSnapshot } from "../snapshot.ts";
import { StartupError } from "../startup-error.ts";

describe("PostgreSQL over TLS", () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const verified = (parameters: Record<string, string> = {}, host = "localhost") =>
    cluster.url("postgres", { sslmode: "verify-full", ...parameters }, "postgres", host);
  const withCa = () => ({ sslrootcert: cluster.rootCertificate });

  async function refusal(url: string): Promise<string> {
    const error = await openDatabase({ kind: "postgres", url }, systemClock).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StartupError);
    return String(error);
  }

  test("accepts with verify-full the host's certificate from the named CA, and encrypts every connection", async () => {
    await cluster.wantTls();
    const config = { kind: "postgres", url: verified(withCa()) } as const;
    await using open = await openDatabase(config, systemClock);
    const { rows } = await sql<{ plain: number; encrypted: number }>`
      select count(*) filter (where not ssl)::int as plain, count(*) filter (where ssl)::int as encrypted
      from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'parley'`.execute(open.db);
    expect(rows).toEqual([{ plain: 0, encrypted: 2 }]);
    expect(await inspectDatabase(config)).toMatchObject({ schema: expect.any(Number) });
    expect(await readSnapshot(config, systemClock, (db) => db.selectFrom("users").selectAll().execute())).toEqual([]);
  });

  test("refuses a certificate from another CA", async () => {
    expect(await refusal(verified({ sslrootcert: cluster.otherCertificate }))).toContain("certificate");
    expect(await refusal(verified())).toContain("certificate");
    // Neither an environment variable nor a weaker mode disables verification.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      expect(await refusal(verified())).toContain("certificate");
      expect(await refusal(verified({ sslmode: "require" }))).toContain("certificate");
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test("refuses the certificate of another host", async () => {
    expect(await refusal(verified(withCa(), "127.0.0.1"))).toContain("does not match");
    await cluster.set("ssl_cert_file", join(cluster.folder, "elsewhere.pem"));
    expect(await refusal(verified(withCa()))).toContain("does not match");
    await cluster.set("ssl_cert_file", join(cluster.folder, "server.pem"));
  });

  test("refuses a server without TLS", async () => {
    await cluster.set("ssl", "off");
    expect(await refusal(verified(withCa()))).toContain("does not support SSL");
    await cluster.set("ssl", "on");
  });

  test("names a certificate file that cannot be read", async () => {
    expect(await refusal(verified({ sslrootcert: "/nowhere/ca.pem" }))).toContain("/nowhere/ca.pem");
  });

  test("never sends the password to a server with a wrong certificate", async () => {
    const heard: Uint8Array[] = [];
    // Asks for the password in plain text once TLS is established.
    using impostor = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      tls: {
        key: readFileSync(join(cluster.folder, "ca.key"), "utf8"),
        cert: readFileSync(cluster.rootCertificate, "utf8"),
      },
      socket: {
        open: (socket) => void socket.write(Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 3)),
        data: (_, bytes) => void heard.push(Uint8Array.from(bytes)),
      },
    });
    const front = createServer((client) => {
      client.on("error", () => {});
      client.once("data", () => {
        const server = dial(impostor.port, "127.0.0.1").on("error", () => {});
        client.write("S");
        client.pipe(server).pipe(client);
      });
    });
    const { promise: listening, resolve } = Promise.withResolvers<void>();
    front.listen(0, "127.0.0.1", resolve);
    await listening;
    const address = front.address();
    const port = typeof address === "object" ? address?.port : undefined;
    expect(await refusal(`postgres://parley:secret@127.0.0.1:${port}/parley?sslmode=verify-full`)).toContain(
      "certificate",
    );
    const closed = Promise.withResolvers<void>();
    front.close(() => closed.resolve());
    await closed.promise;
    expect(heard).toEqual([]);
  });

  test("is not needed on a Unix socket", async () => {
    const url = cluster.url("postgres", { host: cluster.folder });
    await using open = await openDatabase({ kind: "postgres", url }, systemClock, { mode: "tool" });
    expect(open.dialect).toBe("postgres");
  });
});
