/**
 * A network of its own for a machine of the tests: a namespace of Linux whose only way out is a mirror of Debian's
 * packages, with an authority for certificates (pebble) that resolves every name to the machine.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { eventually } from "../../packages/server/test/support/servers/test-server.ts";

const DEBIAN = "http://deb.debian.org";
export const MIRROR_PORT = 8099;
const ACME = "acme.example.org";
const SLOW_MS = 30_000;

/** Runs a program, and returns what it wrote. Throws with its words if it fails. */
export async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${err}${out}`);
  return out;
}

export class Network implements AsyncDisposable {
  /** The name of the namespace. */
  readonly name: string;
  /** The addresses of this machine and of the machine of the test. */
  readonly here: string;
  readonly there: string;
  readonly acme = `https://${ACME}:14000/dir`;
  /** Names that lead to the machine of the test: the authority is in its namespace. */
  readonly hosts: readonly string[] = [ACME];
  readonly folder = temporaryFolder();
  #mirror: ReturnType<typeof Bun.serve> | undefined;
  readonly #children: Subprocess[] = [];

  private constructor(number: number) {
    this.name = `parley${number}`;
    this.here = `10.231.${number}.1`;
    this.there = `10.231.${number}.2`;
  }

  static async open(): Promise<Network> {
    const free = Array.from({ length: 254 }, (_, n) => n + 1).filter((n) => !existsSync(`/run/netns/parley${n}`));
    const network = new Network(free[Math.floor(Math.random() * free.length)] ?? 1);
    try {
      await network.#connect();
      network.openMirror();
      await network.#startAuthority();
      return network;
    } catch (error) {
      await network[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const { name, here, there } = this;
    const inside = ["ip", "netns", "exec", name];
    await run("ip", "netns", "add", name);
    await run("ip", "link", "add", `${name}a`, "type", "veth", "peer", "name", `${name}b`, "netns", name);
    await run("ip", "addr", "add", `${here}/24`, "dev", `${name}a`);
    await run("ip", "link", "set", `${name}a`, "up");
    await run(...inside, "ip", "addr", "add", `${there}/24`, "dev", `${name}b`);
    for (const link of ["lo", `${name}b`]) await run(...inside, "ip", "link", "set", link, "up");
  }

  /** Lets the machine reach Debian's packages. */
  openMirror(): void {
    this.#mirror = Bun.serve({
      hostname: this.here,
      port: MIRROR_PORT,
      idleTimeout: 120,
      fetch: (request) => {
        const asked = ["range", "if-range", "if-modified-since"].flatMap((name) => {
          const value = request.headers.get(name);
          return value === null ? [] : [[name, value] as [string, string]];
        });
        // Packages are passed on as they are.
        return fetch(DEBIAN + new URL(request.url).pathname, { headers: asked, decompress: false } as RequestInit);
      },
    });
  }

  /** Lets the machine reach nothing. */
  async closeMirror(): Promise<void> {
    await this.#mirror?.stop(true);
    this.#mirror = undefined;
  }

  async #startAuthority(): Promise<void> {
    const { folder, there } = this;
    const file = (name: string) => join(folder, name);
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    await run(
      "openssl",
      "req",
      "-x509",
      ...key,
      "-subj",
      "/CN=tests",
      "-keyout",
      file("ca.key"),
      "-out",
      file("ca.pem"),
    );
    writeFileSync(file("names"), `subjectAltName=DNS:${ACME}\n`);
    await run("openssl", "req", ...key.slice(0, -2), "-subj", "/CN=acme", "-keyout", file("key"), "-out", file("csr"));
    const signed = ["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial", "-extfile", file("names")];
    await run("openssl", "x509", "-req", "-in", file("csr"), "-days", "2", ...signed, "-out", file("pem"));
    const pebble = {
      listenAddress: `${there}:14000`,
      managementListenAddress: `${there}:15000`,
      certificate: file("pem"),
      privateKey: file("key"),
      httpPort: 80,
      tlsPort: 443,
    };
    writeFileSync(file("pebble.json"), JSON.stringify({ pebble }));
    const unused = ["http01", "https01", "tlsalpn01"].flatMap((name) => [`-${name}`, ""]);
    const names = ["-defaultIPv4", there, "-defaultIPv6", "", "-dns01", `${there}:8053`, ...unused];
    this.#inside("pebble-challtestsrv", ...names, "-management", `${there}:8055`);
    this.#inside("pebble", "-config", file("pebble.json"), "-dnsserver", `${there}:8053`);
    // The certificate that signs all others is another one at each start.
    const root = () => run("ip", "netns", "exec", this.name, "curl", "-sfk", `https://${there}:15000/roots/0`);
    const pem = await eventually("pebble answers", () => root().catch(() => null), SLOW_MS);
    writeFileSync(file("root.pem"), String(pem));
  }

  /** Starts a program in the namespace. */
  #inside(...command: string[]): void {
    const env = { PATH: process.env.PATH ?? "", PEBBLE_VA_NOSLEEP: "1" };
    const all = ["ip", "netns", "exec", this.name, ...command];
    this.#children.push(Bun.spawn(all, { env, stdin: "ignore", stdout: "ignore", stderr: "ignore" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await Promise.all(this.#children.map(({ exited }) => exited));
    await this.closeMirror();
    // The links end with the namespace.
    if (existsSync(`/run/netns/${this.name}`)) await run("ip", "netns", "del", this.name);
  }
}
