import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { temporaryFolder } from "../config.ts";
import { onPostgres } from "../databases.ts";
import { freePort } from "../servers/child-server.ts";
import { eventually } from "../servers/test-server.ts";

const BINARIES = "/usr/lib/postgresql";
const START_MS = 60_000;
/** Certificates for the key of the server, each with its host name: the right one and one for another host. */
const HOSTS = { server: "localhost", elsewhere: "db.example.org" };

/** The folder with the programs of PostgreSQL; null if it is not installed. */
const binaries = ((): string | null => {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).sort((a, b) => Number(b) - Number(a)) : [];
  return (
    versions.map((version) => join(BINARIES, version, "bin")).find((path) => existsSync(join(path, "initdb"))) ?? null
  );
})();

/** The command that runs others as the user `postgres`, because PostgreSQL refuses to run as root. */
const asOwner = process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];

/**
 * A separate PostgreSQL with TLS and a certificate for `localhost` from its own CA. Dispose of it with `await using`.
 */
export class PostgresCluster implements AsyncDisposable {
  readonly port: number;
  /** The folder of its Unix socket. */
  readonly folder: string;
  /** PEM files: the CA of its certificate, and an unrelated CA. */
  readonly rootCertificate: string;
  readonly otherCertificate: string;
  #process: Subprocess;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.folder = folder;
    this.rootCertificate = join(folder, "ca.pem");
    this.otherCertificate = join(folder, "other.pem");
    this.#process = this.#spawn();
  }

  static async start(): Promise<PostgresCluster> {
    const folder = temporaryFolder();
    const data = join(folder, "data");
    mkdirSync(data);
    makeCertificates(folder);
    for (const path of [
      folder,
      data,
      ...["server.key", "server.pem", "elsewhere.pem"].map((name) => join(folder, name)),
    ])
      giveAway(path);
    run([
      ...asOwner,
      tool("initdb"),
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    ]);
    const port = freePort();
    const settings = {
      port,
      listen_addresses: "127.0.0.1,::1",
      unix_socket_directories: folder,
      fsync: "off",
      ssl: "on",
      ssl_cert_file: join(folder, "server.pem"),
      ssl_key_file: join(folder, "server.key"),
    };
    // The settings are in the file, because `alter system` cannot change settings of the command line.
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(data, "postgresql.conf"), lines.join(""));
    const cluster = new PostgresCluster(port, folder);
    await cluster.#isUp();
    return cluster;
  }

  /** Ends every session at once, as a fast shutdown does, and starts the server again. */
  async restart(): Promise<void> {
    this.#process.kill("SIGINT");
    await this.#process.exited;
    this.#process = this.#spawn();
    await this.#isUp();
  }

  #spawn(): Subprocess {
    return Bun.spawn([...asOwner, tool("postgres"), "-D", join(this.folder, "data")], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: Bun.file(join(this.folder, "log")),
    });
  }

  async #isUp(): Promise<void> {
    const isUp = () =>
      this.on("postgres", "select 1").then(
        () => true,
        () => false,
      );
    await eventually("PostgreSQL is up", isUp, START_MS);
  }

  /** Returns a TCP URL of the database. */
  url(database: string, parameters: Record<string, string> = {}, user = "postgres", host = "localhost"): string {
    return `postgres://${user}@${host}:${this.port}/${database}?${new URLSearchParams(parameters)}`;
  }

  /** Runs one statement over the Unix socket, as the superuser or another role. */
  on(database: string, statement: string, user = "postgres"): Promise<Record<string, unknown>[]> {
    return onPostgres(statement, this.url(database, { host: this.folder }, user));
  }

  /** Changes a setting of the server; resolves when new connections see it. */
  async set(name: string, value: string): Promise<void> {
    await this.on("postgres", `alter system set ${name} = '${value}'`);
    await this.#reload();
    const isSet = async () => (await this.on("postgres", `show ${name}`))[0]?.[name] === value;
    await eventually(`${name} is set`, isSet, START_MS);
  }

  /** Accepts TCP connections only with TLS. */
  async wantTls(): Promise<void> {
    writeFileSync(join(this.folder, "data", "pg_hba.conf"), "local all all trust\nhostssl all all all trust\n");
    await this.#reload();
    const refuses = () =>
      onPostgres("select 1", this.url("postgres")).then(
        () => false,
        () => true,
      );
    await eventually("connections without TLS are refused", refuses, START_MS);
  }

  async #reload(): Promise<void> {
    await this.on("postgres", "select pg_reload_conf()");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // SIGQUIT ends sessions at once.
    this.#process.kill("SIGQUIT");
    await this.#process.exited;
  }
}

function tool(name: string): string {
  if (binaries === null) throw new Error(`PostgreSQL is not installed in ${BINARIES}.`);
  return join(binaries, name);
}

function run(command: string[], cwd = "/"): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed: ${stderr.toString()}`);
  return stdout.toString();
}

function giveAway(path: string): void {
  chmodSync(path, path.endsWith(".pem") ? 0o644 : path.endsWith(".key") ? 0o600 : 0o700);
  if (asOwner.length === 0) return;
  const [uid, gid] = ["-u", "-g"].map((option) => Number(run(["id", option, "postgres"])));
  chownSync(path, uid ?? 0, gid ?? 0);
}

function makeCertificates(folder: string): void {
  const openssl = (...words: string[]) => run(["openssl", ...words], folder);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  for (const name of ["ca", "other"]) {
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
    );
  }
  openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server");
  const sign = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
  for (const [name, host] of Object.entries(HOSTS)) {
    writeFileSync(join(folder, "names"), `subjectAltName=DNS:${host}\n`);
    openssl("x509", "-req", "-in", "server.csr", ...sign, "-out", `${name}.pem`);
  }
}
