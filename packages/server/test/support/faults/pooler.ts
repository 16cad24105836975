import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { which } from "bun";
import { temporaryFolder } from "../config.ts";
import { POSTGRES_URL } from "../databases.ts";
import { freePort } from "../servers/child-server.ts";
import { eventually } from "../servers/test-server.ts";

const PROGRAM = which("pgbouncer", { PATH: `${process.env.PATH ?? ""}:/usr/sbin` });
const { hostname, port, pathname, username } = new URL(POSTGRES_URL);
const DATABASE = pathname.slice(1);

export interface Pooler extends AsyncDisposable {
  /** Returns the address of a database of the tests, through the pooler. */
  through(url: string): string;
}

/**
 * Starts PgBouncer before the PostgreSQL of the tests, with these lines of its settings. `onConnect` is added to the
 * settings of the database.
 */
export async function startPooler(lines: readonly string[], onConnect = ""): Promise<Pooler> {
  const folder = temporaryFolder();
  const own = freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    [
      "[databases]",
      `${DATABASE} = host=${hostname} port=${port} dbname=${DATABASE} user=${username || "root"} ${onConnect}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${own}`,
      "auth_type = any",
      "unix_socket_dir =",
      ...lines,
    ].join("\n"),
  );
  chmodSync(folder, 0o755);
  // It does not run as root.
  const asOther = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = Bun.spawn([PROGRAM ?? "", ...asOther, file], { stdout: "ignore", stderr: "ignore" });
  const isOpen = () =>
    Bun.connect({ hostname: "127.0.0.1", port: own, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  await eventually("PgBouncer listens", isOpen);
  return {
    through: (url) => `postgres://${username || "root"}@127.0.0.1:${own}/${DATABASE}${new URL(url).search}`,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
