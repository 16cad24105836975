import { expect, test } from "bun:test";
import { join } from "node:path";
import { YAML } from "bun";

const FOLDER = join(import.meta.dir, "../deploy/cluster");

interface Service {
  image: string;
  environment: Record<string, string>;
  volumes?: string[];
  networks: string[] | Record<string, { ipv4_address: string }>;
}

const compose = YAML.parse(await Bun.file(join(FOLDER, "compose.yaml")).text()) as {
  services: Record<string, Service>;
  networks: Record<string, unknown>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);

test("the compose file pins every image that is not built from this clone", () => {
  const foreign = services.map(([, { image }]) => image).filter((image) => image !== "parley:local");
  expect(foreign).toHaveLength(3);
  for (const image of foreign) expect(image).toMatch(/^[\w/]+:\d+(\.\d+)+$/);
  expect(compose.services).toHaveProperty("node1.image", "parley:local");
});

test("the settings of the nodes exist, and differ only in name and address", async () => {
  const reference = await Bun.file(join(FOLDER, "../../docs/reference/configuration.md")).text();
  const { node1, node2 } = compose.services;
  for (const name of Object.keys(node1?.environment ?? {})) expect(reference).toContain(`| \`${name}\` |`);
  const environment = { ...node1?.environment, PARLEY_NODE_NAME: "node2" };
  expect({ ...node1, environment, networks: node2?.networks }).toEqual(node2 as never);
});

test("each node has an address of its own, which Docker gives to no other container", () => {
  const { node1, node2 } = compose.services;
  const addresses = [node1, node2].map(({ networks } = {} as Service) => Object.values(networks)[0]);
  expect(addresses).toEqual([{ ipv4_address: "172.30.17.11" }, { ipv4_address: "172.30.17.12" }]);
  expect(compose.networks.inner).toMatchObject({ ipam: { config: [{ ip_range: "172.30.17.128/25" }] } });
});

test("every network, volume and file that the compose file names exists", async () => {
  for (const [, { networks, volumes = [] }] of services) {
    const names = Array.isArray(networks) ? networks : Object.keys(networks);
    for (const network of names) expect(compose.networks).toHaveProperty(network);
    for (const [from = ""] of volumes.map((volume) => volume.split(":"))) {
      if (from.startsWith("./")) expect(await Bun.file(join(FOLDER, from)).exists()).toBe(true);
      else expect(compose.volumes).toHaveProperty(from);
    }
  }
});

test("the balancer's variables are those of its configuration", async () => {
  const text = await Bun.file(join(FOLDER, "haproxy.cfg")).text();
  const names = [...text.matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
  expect(Object.keys(compose.services.balancer?.environment ?? {})).toEqual(names as string[]);
});
