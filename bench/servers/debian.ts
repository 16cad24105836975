import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { XMPP_DOMAIN, XMPP_ROOMS } from "../load/protocols/xmpp.ts";
import { freePort, type Place, type ServerKind } from "./server.ts";

/** More than any scenario opens, for limits that would refuse the load. */
const MANY = 100_000;

let rooms = 0;

/** All of them: they need no accounts, a room exists once somebody joins, and there is no page that tells that they are ready. */
const common = {
  env: (dataDir) => ({ HOME: dataDir }),
  sessions: (_server, count) => Promise.resolve(Array.from({ length: count }, (_, i) => `session-${i}`)),
  createRoom: () => {
    rooms += 1;
    return Promise.resolve(`bench${rooms}`);
  },
  isReady: ({ port }) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    }),
} satisfies Partial<ServerKind>;

function write({ dataDir }: Place, name: string, lines: readonly string[]): void {
  writeFileSync(join(dataDir, name), `${lines.join("\n")}\n`);
}

/** Returns the path of a program, also of those that only root has in its path. */
const program = (name: string): string | null =>
  Bun.which(name) ?? Bun.which(name, { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" });

const missing = (name: string): string | null =>
  program(name) === null ? `${name} is missing: apt install ${name}` : null;

const path = (name: string): string => program(name) ?? name;

export const nats: ServerKind = {
  ...common,
  name: "nats",
  title: "NATS",
  protocol: "nats",
  lacks: ["messages on disk (core NATS)", "a total order of a room", "acknowledgements", "accounts and rights here"],
  missing: () => missing("nats-server"),
  configure: (place) =>
    write(place, "nats.conf", [
      "host: 127.0.0.1",
      "port: -1",
      `websocket { host: 127.0.0.1, port: ${place.port}, no_tls: true }`,
    ]),
  command: (dataDir) => [path("nats-server"), "-c", join(dataDir, "nats.conf")],
};

export const mosquitto: ServerKind = {
  ...common,
  name: "mosquitto",
  title: "Mosquitto",
  protocol: "mqtt",
  lacks: ["messages on disk", "history", "acknowledgements (QoS 0)", "accounts and rights here"],
  missing: () => missing("mosquitto"),
  configure: (place) =>
    write(place, "mosquitto.conf", [
      // Version 2.0.11 ends if it has no listener but this one for WebSockets.
      `listener 0 ${join(place.dataDir, "plain.sock")}`,
      `listener ${place.port} 127.0.0.1`,
      "socket_domain ipv4",
      "protocol websockets",
      "allow_anonymous true",
      "set_tcp_nodelay true",
      "max_queued_messages 0",
      "user root",
    ]),
  command: (dataDir) => [path("mosquitto"), "-c", join(dataDir, "mosquitto.conf")],
};

export const ejabberd: ServerKind = {
  ...common,
  name: "ejabberd",
  title: "ejabberd",
  protocol: "xmpp",
  lacks: ["messages on disk here (no archive)", "acknowledgements", "numbered messages"],
  missing: () => (ebin() === null ? "ejabberd is missing: apt install ejabberd" : null),
  env: (dataDir) => ({ HOME: dataDir, EJABBERD_CONFIG_PATH: join(dataDir, "ejabberd.yml") }),
  configure: (place) =>
    write(place, "ejabberd.yml", [
      `hosts: [${XMPP_DOMAIN}]`,
      "loglevel: warning",
      "listen:",
      `  - port: ${place.port}`,
      '    ip: "127.0.0.1"',
      "    module: ejabberd_http",
      "    request_handlers: { /xmpp-websocket: ejabberd_http_ws }",
      "auth_method: [anonymous]",
      "anonymous_protocol: sasl_anon",
      "allow_multiple_connections: true",
      "modules:",
      "  mod_disco: {}",
      "  mod_muc:",
      `    hosts: [${XMPP_ROOMS}]`,
      `    max_users: ${MANY}`,
      "    history_size: 0",
      `    default_room_options: { max_users: ${MANY}, persistent: false }`,
    ]),
  // Without its script, which would change the user.
  command: (dataDir) =>
    ["erl", "-noinput", "+K", "true", "-pa", ebin() ?? "", "-s", "ejabberd"].concat(
      ["-mnesia", "dir", JSON.stringify(join(dataDir, "mnesia"))],
      ["-ejabberd", "log_path", JSON.stringify(join(dataDir, "ejabberd.log"))],
    ),
};

/** Returns where Debian's package keeps ejabberd's compiled modules. */
function ebin(): string | null {
  const libraries = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`;
  try {
    const [folder] = readdirSync(libraries).filter((name) => /^ejabberd-[\d.]+-\d+$/.test(name));
    return folder === undefined || program("erl") === null ? null : join(libraries, folder, "ebin");
  } catch {
    return null;
  }
}

export const prosody: ServerKind = {
  ...common,
  name: "prosody",
  title: "Prosody",
  protocol: "xmpp",
  lacks: ["messages on disk here (no archive)", "acknowledgements", "numbered messages"],
  missing: () => missing("prosody"),
  configure(place) {
    for (const folder of ["data", "certs"]) mkdirSync(join(place.dataDir, folder), { recursive: true });
    write(place, "prosody.cfg.lua", [
      "run_as_root = true",
      `data_path = ${JSON.stringify(join(place.dataDir, "data"))}`,
      `pidfile = ${JSON.stringify(join(place.dataDir, "pid"))}`,
      'network_backend = "epoll"',
      'modules_enabled = { "saslauth", "disco", "websocket" }',
      'modules_disabled = { "s2s" }',
      `http_ports = { ${place.port} }`,
      'http_interfaces = { "127.0.0.1" }',
      "https_ports = {}",
      `c2s_ports = { ${freePort()} }`,
      'c2s_interfaces = { "127.0.0.1" }',
      "consider_websocket_secure = true",
      'log = { { levels = { min = "warn" }, to = "console" } }',
      `VirtualHost "${XMPP_DOMAIN}"`,
      '  authentication = "anonymous"',
      `Component "${XMPP_ROOMS}" "muc"`,
      "  restrict_room_creation = false",
      "  muc_room_locking = false",
    ]);
  },
  command: (dataDir) => [path("prosody"), "--config", join(dataDir, "prosody.cfg.lua"), "-F"],
};

export const inspircd: ServerKind = {
  ...common,
  name: "inspircd",
  title: "InspIRCd",
  protocol: "irc",
  lacks: ["messages on disk", "history", "acknowledgements", "accounts here"],
  missing: () => missing("inspircd"),
  configure(place) {
    const limits = [
      `commandrate="${MANY * 1000}" threshold="${MANY}" fakelag="no"`,
      `localmax="${MANY}" globalmax="${MANY}" limit="${MANY}"`,
      'softsendq="67108864" hardsendq="67108864" recvq="1048576" resolvehostnames="no" useident="no" pingfreq="600"',
    ].join(" ");
    write(place, "inspircd.conf", [
      '<server name="irc.bench" description="bench" network="bench">',
      '<admin name="bench" nick="bench" email="bench@localhost">',
      ...["sha1", "websocket", "cap", "ircv3_echomessage"].map((name) => `<module name="${name}">`),
      '<wsorigin allow="*">',
      '<websocket defaultmode="text">',
      `<bind address="127.0.0.1" port="${place.port}" type="clients" hook="websocket">`,
      `<connect allow="*" ${limits}>`,
      '<performance netbuffersize="65536" somaxconn="1024" softlimit="20000" clonesonconnect="no">',
      '<log method="stderr" type="* -USERINPUT -USEROUTPUT" level="default" target="stderr">',
      `<pid file="${join(place.dataDir, "pid")}">`,
    ]);
  },
  command: (dataDir) => [path("inspircd"), "--runasroot", "--nofork", `--config=${join(dataDir, "inspircd.conf")}`],
};

const PACKAGES = ["nats-server", "mosquitto", "ejabberd", "prosody", "inspircd", "wrk"];

/** Returns the versions of the packages that are installed, for the record. */
export function debianVersions(): Record<string, string> {
  if (Bun.which("dpkg-query") === null) return {};
  const lines = Bun.spawnSync(["dpkg-query", "-W", ...PACKAGES])
    .stdout.toString()
    .split("\n");
  return Object.fromEntries(lines.map((line) => line.split("\t")).filter(([, version]) => version));
}
