/** A small Debian that boots in a container with systemd, to install packages as on a new machine. */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { eventually } from "../../packages/server/test/support/servers/test-server.ts";
import { MIRROR_PORT, type Network, run } from "./network.ts";

const SLOW_MS = 60_000;
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "parley/debian");
/** The packages that a server of a provider has, besides the smallest Debian. */
const SYSTEM = "systemd,systemd-sysv,dbus";

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export class Machine implements AsyncDisposable {
  readonly root: string;
  readonly #container: Subprocess;
  readonly #startedAt = Date.now();
  #init = "";

  private constructor(root: string, network: Network) {
    this.root = root;
    // Without waiting for the disk, which the tests do not test.
    const options = ["--suppress-sync=yes", "--register=no", "--keep-unit", "--resolv-conf=off", "--timezone=off"];
    const place = [`--network-namespace-path=/run/netns/${network.name}`, "-D", root];
    this.#container = Bun.spawn(["systemd-nspawn", "-q", ...options, ...place, "--boot"], {
      env: { PATH: process.env.PATH ?? "", SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
  }

  /** Boots a new machine with a release of Debian, whose name in the network is `domain`. */
  static async boot(release: string, network: Network, domain: string): Promise<Machine> {
    const root = join(temporaryFolder(), "root");
    await run("cp", "-a", await emptyMachine(release), root);
    const put = (path: string, text: string) => writeFileSync(join(root, path), text);
    put("etc/apt/sources.list", `deb http://${network.here}:${MIRROR_PORT}/debian ${release} main\n`);
    put("etc/hosts", `127.0.0.1 localhost\n${network.there} ${[domain, ...network.hosts].join(" ")}\n`);
    put("etc/hostname", "empty\n");
    const trusted = join(root, "usr/local/share/ca-certificates");
    mkdirSync(trusted, { recursive: true });
    for (const name of ["ca", "root"]) copyFileSync(join(network.folder, `${name}.pem`), join(trusted, `${name}.crt`));
    const machine = new Machine(root, network);
    await eventually("the machine is up", () => machine.#isUp(), SLOW_MS);
    return machine;
  }

  /** The seconds since the machine began to boot. */
  get seconds(): number {
    return (Date.now() - this.#startedAt) / 1000;
  }

  async #isUp(): Promise<boolean> {
    const children = `/proc/${this.#container.pid}/task/${this.#container.pid}/children`;
    this.#init = (await Bun.file(children).text()).trim().split(" ")[0] ?? "";
    if (this.#init === "") return false;
    return (await this.run("systemctl", "is-active", "-q", "multi-user.target")).code === 0;
  }

  /** Runs a program in the machine as root. */
  async run(...command: string[]): Promise<Ran> {
    const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    const child = Bun.spawn(["nsenter", "-t", this.#init, "-a", "env", "-i", path, "HOME=/root", ...command], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, out, err };
  }

  /** Runs a line of the shell, and returns what it writes. Throws if it fails. */
  async shell(line: string): Promise<string> {
    const { code, out, err } = await this.run("sh", "-c", line);
    if (code !== 0) throw new Error(`${line}: ${err}${out}`);
    return out.trim();
  }

  /** Adds a line to a file, such as /etc/hosts. */
  append(path: string, line: string): void {
    appendFileSync(join(this.root, path), `${line}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#container.kill("SIGKILL");
    if (this.#init !== "" && existsSync(`/proc/${this.#init}`)) process.kill(Number(this.#init), "SIGKILL");
    await this.#container.exited;
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Returns the folder of a Debian as debootstrap makes it, which is kept for the next run. */
async function emptyMachine(release: string): Promise<string> {
  const folder = join(CACHE, release);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const draft = join(temporaryFolder(), release);
  await run("debootstrap", "--variant=minbase", `--include=${SYSTEM}`, release, draft, "http://deb.debian.org/debian");
  rmSync(join(draft, "var/cache/apt/archives"), { recursive: true });
  mkdirSync(join(draft, "var/cache/apt/archives/partial"), { recursive: true });
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another run was faster, or the folder is on another disk.
    if (existsSync(folder)) return folder;
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await run("cp", "-a", draft, folder);
  }
  return folder;
}
