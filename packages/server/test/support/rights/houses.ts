import type { Config } from "../../../src/config/config.ts";
import { startNodes } from "../cluster/start-nodes.ts";
import { openMigratedPlace } from "../databases.ts";
import { Client, eventually, startTestServer, type TestServer } from "../servers/test-server.ts";

/** Where an act runs (`here`) and where its right is taken away (`there`): the same server, or two nodes. */
export interface House extends AsyncDisposable {
  here: TestServer;
  there: TestServer;
  /** All of them. */
  nodes: readonly TestServer[];
  /** The same caller, on the server where the right is taken away. */
  away(client: Client): Client;
}

export type HouseKind = "SQLite" | "PostgreSQL" | "two nodes" | "three nodes";

/** The kinds of houses in which a right ends differently. */
export const HOUSES: readonly HouseKind[] = ["SQLite", "PostgreSQL", "two nodes"];

export async function openHouse(kind: HouseKind, config: Partial<Config> = {}): Promise<House> {
  const all: Partial<Config> = { rateLimits: "off", ...config };
  if (kind === "two nodes" || kind === "three nodes") return severalNodes(kind === "two nodes" ? 2 : 3, all);
  const place = kind === "PostgreSQL" ? await openMigratedPlace() : null;
  const server = await startTestServer(
    place === null ? all : { ...all, database: { kind: "postgres", url: place.url } },
  );
  return {
    here: server,
    there: server,
    nodes: [server],
    away: (client) => client,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await place?.[Symbol.asyncDispose]();
    },
  };
}

async function severalNodes(count: number, config: Partial<Config>): Promise<House> {
  const cluster = await startNodes(count, { bus: "memory", config });
  const [here, there] = cluster.nodes as [TestServer, TestServer];
  const know = async ({ ctx }: TestServer) => {
    await ctx.cluster?.refresh();
    return ctx.cluster?.nodes.length === count;
  };
  for (const node of cluster.nodes) await eventually("the nodes know each other", () => know(node));
  return {
    here,
    there,
    nodes: cluster.nodes,
    away: ({ credential }) => new Client(there.url, credential),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
