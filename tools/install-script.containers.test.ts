import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { buildExecutable } from "./built-executable.ts";
import { debianPackage } from "./debian.ts";
import { Machine, type Ran } from "./debian-lab/machine.ts";
import { Network } from "./debian-lab/network.ts";

const SCRIPT = join(import.meta.dir, "../deploy/install.sh");
const DOMAIN = "chat.example.org";
/** Much longer than a machine takes, so that it only ends a test that hangs. */
const SLOW_MS = 900_000;

const packages = new Map<string, string>();
let executable: string | undefined;

/** Builds a package once; one without a program is quick, and enough for what is refused. */
async function packageOf(version: string, isWhole: boolean): Promise<string> {
  const known = packages.get(version);
  if (known !== undefined) return known;
  let program = "/bin/true";
  if (isWhole) {
    program = executable ??= join(temporaryFolder(), "parley");
    if (!existsSync(program)) await buildExecutable(program);
  }
  const made = { executable: program, folder: temporaryFolder(), version, architecture: "amd64", isFast: true };
  const file = await debianPackage(made);
  packages.set(version, file);
  return file;
}

/** Puts the script and a release with these packages into a machine. Returns the function that runs the script. */
async function prepare(machine: Machine, versions: readonly string[], isWhole: boolean) {
  copyFileSync(SCRIPT, join(machine.root, "root/install.sh"));
  for (const version of versions) {
    const file = await packageOf(version, isWhole);
    const folder = join(machine.root, "release", version);
    mkdirSync(folder, { recursive: true });
    copyFileSync(file, join(folder, basename(file)));
    const sum = new Bun.CryptoHasher("sha256").update(await Bun.file(file).arrayBuffer()).digest("hex");
    writeFileSync(join(folder, "SHA256SUMS"), `${sum}  ${basename(file)}\n${sum}  parley_${version}_arm64.deb\n`);
  }
  return (...words: string[]): Promise<Ran> => machine.run("sh", "/root/install.sh", ...words);
}

/** Calls the API from the machine, by the name of the chat and with the certificate. */
async function call(machine: Machine, path: string, body: object, more = ""): Promise<Record<string, unknown>> {
  const json = JSON.stringify(body).replaceAll("'", "");
  const said = await machine.shell(
    `curl -sS -c /root/jar -b /root/jar ${more} -H 'content-type: application/json' -H 'origin: https://${DOMAIN}' -d '${json}' https://${DOMAIN}${path}`,
  );
  return JSON.parse(said) as Record<string, unknown>;
}

describe.each(["bookworm", "trixie"])("on an empty Debian %s, the install script", (release) => {
  test(
    "makes a chat with a certificate by one line, upgrades it, and is removed with the packages",
    async () => {
      await using network = await Network.open();
      await using machine = await Machine.boot(release, network, DOMAIN);
      const install = await prepare(machine, ["0.9.0", "0.9.1"], true);

      const begin = machine.seconds;
      const first = await install("--acme-ca", network.acme, "/release/0.9.0", DOMAIN, "ada");
      expect(first).toMatchObject({ code: 0, err: "" });
      const [, token] =
        /choose the password of ada, and log in: https:\/\/chat\.example\.org\/reset#(\S+)/.exec(first.out) ?? [];
      expect(await call(machine, "/api/auth/reset", { token, password: "correct horse battery" })).toMatchObject({
        username: "ada",
      });
      await call(machine, "/api/auth/login", { username: "ada", password: "correct horse battery" });
      const said = await call(machine, "/api/messages", { channel_slug: "general", content: "before the upgrade" });
      expect(said).toMatchObject({ success: true });
      const seconds = (machine.seconds - begin).toFixed(1);
      console.log(`Debian ${release}: from an empty machine to a first message in ${seconds} s`);
      const issuer = await machine.shell(
        `curl -svo /dev/null https://${DOMAIN}/ 2>&1 | grep -i 'issuer:'; curl -s -o /dev/null -w '%{http_code}' http://${DOMAIN}/`,
      );
      expect(issuer).toMatch(/Pebble Intermediate[\s\S]*308$/);
      // The proxy names the addresses of people, by which limits tell them apart.
      expect(await machine.shell("grep -E '^PARLEY_(PUBLIC|TRUSTED)' /etc/parley.env")).toBe(
        `PARLEY_PUBLIC_URL=https://${DOMAIN}\nPARLEY_TRUSTED_PROXIES=127.0.0.1`,
      );
      expect(await machine.shell("stat -c '%U:%G %a' /etc/parley.env")).toBe("root:parley 640");

      const files = "cat /etc/parley.env /etc/caddy/Caddyfile; systemctl show -p ActiveEnterTimestamp parley caddy";
      const before = await machine.shell(files);
      const second = await install("/release/0.9.0", DOMAIN);
      expect([second.code, second.out]).toEqual([0, expect.not.stringContaining("choose the password")]);
      expect(await machine.shell(files)).toBe(before);

      const upgrade = await install(`/release/0.9.1/parley_0.9.1_amd64.deb`, DOMAIN);
      expect([upgrade.code, upgrade.out]).toEqual([0, expect.stringContaining("Parley 0.9.1 runs at")]);
      const kept = await machine.shell(`curl -sS -b /root/jar 'https://${DOMAIN}/api/messages?channel_slug=general'`);
      expect(JSON.parse(kept).messages).toMatchObject([{ content: "before the upgrade" }]);
      const older = await install("/release/0.9.0", DOMAIN);
      expect([older.code, older.err]).toEqual([
        1,
        expect.stringContaining("Parley 0.9.1 is installed, and 0.9.0 is older"),
      ]);

      await machine.shell("DEBIAN_FRONTEND=noninteractive apt-get -qq purge parley caddy >/dev/null 2>&1");
      const left = "ls -d /etc/parley.env /var/lib/parley /etc/caddy /usr/bin/parley /usr/bin/caddy 2>/dev/null";
      expect(await machine.shell(`${left}; cat /proc/[0-9]*/comm | grep -E 'parley|caddy'; true`)).toBe("");
    },
    SLOW_MS,
  );
});

describe("the install script says what to do", () => {
  test(
    "about everything that is in its way, before it changes the machine",
    async () => {
      await using network = await Network.open();
      await using machine = await Machine.boot("trixie", network, DOMAIN);
      const install = await prepare(machine, ["0.9.5"], false);
      const refusal = async (...words: string[]) => {
        const { code, err } = await install(...words);
        expect(code).toBe(1);
        return err;
      };
      const good = ["/release/0.9.5", DOMAIN, "ada"];
      expect(await refusal(DOMAIN)).toContain("use it as: sudo sh install.sh");
      expect(await refusal("/release/0.9.5", `https://${DOMAIN}`)).toContain("without https://");
      expect(await refusal("/release/0.9.5", "chat")).toContain("has no dot");
      expect(await refusal("/release/0.9.5", DOMAIN)).toContain("name the first account after the domain");
      await machine.shell("cp /root/install.sh /tmp/install.sh");
      const nobody = await machine.run("setpriv", "--reuid=65534", "--clear-groups", "sh", "/tmp/install.sh", ...good);
      expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining("needs root. Put sudo before")]);

      expect(await refusal("/release/0.9.5", "nowhere.example.org", "ada")).toContain(
        "has no address. Add an A record",
      );
      machine.append("etc/hosts", "203.0.113.9 elsewhere.example.org");
      expect(await refusal("/release/0.9.5", "elsewhere.example.org", "ada")).toContain(
        "leads to 203.0.113.9, but this",
      );

      const other = machine.run(
        "perl",
        "-MIO::Socket",
        "-e",
        "$s=IO::Socket::INET->new(LocalPort=>443,Listen=>1);sleep 600",
      );
      await machine.shell("until grep -q ':01BB 00000000:0000 0A' /proc/net/tcp; do sleep 0.1; done");
      expect(await refusal(...good)).toContain("perl uses port 443. Caddy needs it");
      await machine.shell("kill $(grep -lx perl /proc/[0-9]*/comm | cut -d / -f 3)");
      await other;

      await network.closeMirror();
      expect(await refusal(...good)).toContain("Is there a network?");
      network.openMirror();

      const os = "sed -i 's/^VERSION_ID=.*/VERSION_ID=\"%s\"/' /etc/os-release";
      await machine.shell(os.replace("%s", "11"));
      expect(await refusal(...good)).toContain("this is not Debian 12 or newer");
      await machine.shell(os.replace("%s", "13"));

      await machine.shell("mkdir -p /etc/caddy && echo ':80 { respond hello }' > /etc/caddy/Caddyfile");
      expect(await refusal(...good)).toMatch(
        /Caddyfile is yours.*Add these lines[\s\S]*chat.example.org \{\n\treverse_proxy 127.0.0.1:3000/,
      );
      expect(await machine.shell("cat /etc/caddy/Caddyfile; ls /etc/parley.env 2>&1; true")).toMatch(
        /hello[\s\S]*No such file/,
      );
      await machine.shell("rm -r /etc/caddy");

      // From here on Caddy is installed, and Parley is not.
      expect(await refusal("http://release.example.org/1", DOMAIN, "ada")).toContain("no https address");
      expect(await refusal("/nothing", DOMAIN, "ada")).toContain("/nothing/SHA256SUMS cannot be read");
      expect(await refusal("https://acme.example.org:9/1", DOMAIN, "ada")).toContain("cannot be downloaded");
      expect(await refusal("/release/0.9.5/parley_0.9.5_arm64.deb", DOMAIN, "ada")).toContain(
        "has no package for amd64",
      );
      await machine.shell("echo more >> /release/0.9.5/parley_0.9.5_amd64.deb");
      expect(await refusal(...good)).toContain("parley_0.9.5_amd64.deb was damaged or changed");
      expect((await machine.run("dpkg-query", "-W", "parley")).code).not.toBe(0);
    },
    SLOW_MS,
  );

  test(
    "about a certificate that does not come, with Caddy's reason, and finishes when it is run again",
    async () => {
      await using network = await Network.open();
      await using machine = await Machine.boot("trixie", network, DOMAIN);
      const install = await prepare(machine, ["0.9.0"], true);
      // Where the name leads is not asked.
      machine.append("etc/hosts", `203.0.113.9 ${DOMAIN}`);
      const closed = "https://acme.example.org:9/dir";
      const late = await install("--anyway", "--acme-ca", closed, "/release/0.9.0", DOMAIN, "ada");
      expect(late.code).toBe(1);
      expect(late.err).toMatch(
        /does not answer yet. Ports 80 and 443 must be open.*it says: .*acme.example.org:9.*connection refused/,
      );
      const again = await install("--anyway", "--acme-ca", network.acme, "/release/0.9.0", DOMAIN, "ada");
      expect(again).toMatchObject({ code: 0, err: "" });
      // The owner is made last, so the link is not lost with the first run.
      expect(late.out).not.toContain("choose the password");
      expect(again.out).toContain("choose the password of ada");
    },
    SLOW_MS,
  );
});
