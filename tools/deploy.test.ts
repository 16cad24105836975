import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { YAML } from "bun";
import { loadConfig } from "../packages/server/src/config/load-config.ts";
import { startTestServer } from "../packages/server/test/support/servers/test-server.ts";

const DEPLOY = join(import.meta.dir, "../deploy");
const read = (path: string): Promise<string> => Bun.file(join(DEPLOY, path)).text();

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  environment: Record<string, string>;
  volumes?: string[];
  networks: string[] | Record<string, { ipv4_address: string }>;
}

interface Compose {
  services: Record<string, Service>;
  networks: Record<string, unknown>;
  volumes: Record<string, unknown>;
}

/** The labels of the metrics (metrics/registry.ts). */
const LABELS = ["status", "route", "method", "policy", "code", "server", "reason", "redis", "asset", "outcome"];

const composeIn = async (path: string): Promise<Compose> => YAML.parse(await read(path)) as Compose;

/** Returns the settings with the values of `.env` filled in, or the defaults. */
function filled(environment: Record<string, string>, values: Record<string, string>): Record<string, string> {
  const fill = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) => {
      const value = values[name] ?? (kind === "-" ? rest : undefined);
      if (value === undefined) throw new Error(`.env lacks ${name}.`);
      return value;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fill(text)]));
}

describe.each(["compose.yaml", "cluster/compose.yaml"])("deploy/%s", (path) => {
  test("pins every image that is not built from this clone, and builds that from a file that exists", async () => {
    for (const { image, build } of Object.values((await composeIn(path)).services)) {
      if (build === undefined) expect(image).toMatch(/^[\w/]+:\d+(\.\d+)+$/);
      else {
        const root = join(DEPLOY, dirname(path), build.context);
        expect([image, await Bun.file(join(root, build.dockerfile)).exists()]).toEqual(["parley:local", true]);
      }
    }
  });

  test("names only networks, volumes and files that exist", async () => {
    const compose = await composeIn(path);
    for (const { networks, volumes = [] } of Object.values(compose.services)) {
      const names = Array.isArray(networks) ? networks : Object.keys(networks);
      for (const network of names) expect(compose.networks).toHaveProperty(network);
      for (const [from = ""] of volumes.map((volume) => volume.split(":"))) {
        if (from.startsWith("./")) expect(await Bun.file(join(DEPLOY, dirname(path), from)).exists()).toBe(true);
        else expect(compose.volumes).toHaveProperty(from);
      }
    }
  });
});

describe("deploy/compose.yaml", () => {
  test("gives settings that the production profile accepts, with SQLite and with PostgreSQL", async () => {
    const { parley, caddy } = (await composeIn("compose.yaml")).services;
    const values = { PARLEY_DOMAIN: "chat.example.org", PARLEY_METRICS_TOKEN: "0123456789abcdefghij" };
    const image = { PARLEY_DATA_DIR: "/nowhere/data", HOST: "0.0.0.0", PORT: "3000" };
    const config = loadConfig({ ...image, ...filled(parley?.environment ?? {}, values) });
    expect(config).toMatchObject({ publicUrl: "https://chat.example.org", database: { kind: "sqlite" } });
    const url = "postgres://parley:secret@postgres:5432/parley";
    const other = loadConfig({ ...image, ...filled(parley?.environment ?? {}, { ...values, DATABASE_URL: url }) });
    expect(other.database).toMatchObject({ kind: "postgres" });
    const names = [...(await read("Caddyfile")).matchAll(/\{\$(\w+)\}/g)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(caddy?.environment ?? {}));
  });
});

describe("deploy/cluster/compose.yaml", () => {
  test("gives its nodes settings that exist and differ only in name and address", async () => {
    const reference = await read("../docs/reference/configuration.md");
    const { node1, node2 } = (await composeIn("cluster/compose.yaml")).services;
    for (const name of Object.keys(node1?.environment ?? {})) expect(reference).toContain(`| \`${name}\` |`);
    const environment = { ...node1?.environment, PARLEY_NODE_NAME: "node2" };
    expect({ ...node1, environment, networks: node2?.networks }).toEqual(node2 as never);
  });

  test("gives each node an address of its own, which Docker gives to no other container", async () => {
    const { services, networks } = await composeIn("cluster/compose.yaml");
    const addresses = [services.node1, services.node2].map(
      ({ networks } = {} as Service) => Object.values(networks)[0],
    );
    expect(addresses).toEqual([{ ipv4_address: "172.30.17.11" }, { ipv4_address: "172.30.17.12" }]);
    expect(networks.inner).toMatchObject({ ipam: { config: [{ ip_range: "172.30.17.128/25" }] } });
  });

  test("sets the variables that the balancer's configuration uses", async () => {
    const names = [...(await read("cluster/haproxy.cfg")).matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
    const { balancer } = (await composeIn("cluster/compose.yaml")).services;
    expect(Object.keys(balancer?.environment ?? {})).toEqual(names as string[]);
  });
});

test("the unit of the guide is deploy/parley.service", async () => {
  const guide = await read("../docs/guide/deployment.md");
  expect(guide).toContain(`\`\`\`\n${await read("parley.service")}\`\`\``);
});

test("the health check of the image succeeds only while the server is ready", async () => {
  const [, list = ""] = /^HEALTHCHECK .* CMD (\[(?:.|\\\n)*\])$/m.exec(await read("Dockerfile")) ?? [];
  const [program = "", ...args] = JSON.parse(list.replaceAll("\\\n", "")) as string[];
  const check = (port: string) => Bun.spawn([program, ...args], { env: { PORT: port }, stderr: "ignore" }).exited;
  await using server = await startTestServer();
  const { port } = new URL(server.url);
  expect(await check(port)).toBe(0);
  await server[Symbol.asyncDispose]();
  expect(await check(port)).not.toBe(0);
  using unready = Bun.serve({ port: 0, fetch: () => new Response("", { status: 503 }) });
  expect(await check(String(unready.port))).not.toBe(0);
});

describe("deploy/monitoring", () => {
  interface Rules {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string; action: string } }[] }[];
  }
  interface Dashboard {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  }
  const rules = async () =>
    (YAML.parse(await read("monitoring/prometheus-rules.yml")) as Rules).groups.flatMap((of) => of.rules);
  const panels = async () => (JSON.parse(await read("monitoring/grafana.json")) as Dashboard).panels;

  test("the alerts and the dashboard use only metrics and labels that the server has", async () => {
    await using server = await startTestServer();
    await server.guest.get("/livez");
    const text = await server.ctx.metrics.render();
    const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
    const known = (name: string) => {
      const base = name.replace(/_(bucket|sum|count)$/, "");
      return name === "up" || types.has(name) || types.get(base) === "histogram";
    };
    const exprs = [
      ...(await rules()).map(({ expr }) => expr),
      ...(await panels()).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(exprs.length).toBeGreaterThan(30);
    const names = exprs.flatMap((expr) => expr.match(/\b(?:up|(?:parley|process)_\w+)\b/g) ?? []);
    expect(names.filter((name) => !known(name))).toEqual([]);
    // A counter without a rate, or a rate of a gauge, shows nothing useful.
    for (const expr of exprs) {
      for (const [, name = ""] of expr.matchAll(/\brate\((\w+)/g))
        expect([name, types.get(name)]).not.toEqual([name, "gauge"]);
    }
    const labels = new Set(["instance", "le", "job", ...LABELS]);
    const grouped = exprs.flatMap((expr) =>
      [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", ")),
    );
    expect(grouped.filter((label) => !labels.has(label))).toEqual([]);
  });

  test("each alert says what to do, and each panel has a number and a title of its own", async () => {
    for (const { alert, annotations } of await rules()) {
      expect([alert, annotations.summary.length > 0, annotations.action.length > 0]).toEqual([alert, true, true]);
    }
    const all = await panels();
    for (const key of ["id", "title"] as const) expect(new Set(all.map((panel) => panel[key])).size).toBe(all.length);
  });
});
