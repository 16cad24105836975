import type { Config } from "../../../src/config/config.ts";
import { startNodes } from "../cluster/start-nodes.ts";
import { openMigratedPlace } from "../databases.ts";
import { Client, eventually, startTestServer, type TestServer } from "../servers/test-server.ts";

/** Where an act runs (`here`) and where its right is taken away (`there`): the same server, or two nodes. */
export interface House extends AsyncDisposable {
  here: TestServer;
  there: TestServer;
  /** The same caller, on the server where the right is taken away. */
  away(client: Client): Client;
}

export type HouseKind = "SQLite" | "PostgreSQL" | "two nodes";

/** All kinds of houses. */
export const HOUSES: readonly HouseKind[] = ["SQLite", "PostgreSQL", "two nodes"];

export async function openHouse(kind: HouseKind, config: Partial<Config> = {}): Promise<House> {
  const all: Partial<Config> = { rateLimits: "off", ...config };
  if (kind === "two nodes") return twoNodes(all);
  const place = kind === "PostgreSQL" ? await openMigratedPlace() : null;
  const server = await startTestServer(
    place === null ? all : { ...all, database: { kind: "postgres", url: place.url } },
  );
  return {
    here: server,
    there: server,
    away: (client) => client,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await place?.[Symbol.asyncDispose]();
    },
  };
}

async function twoNodes(config: Partial<Config>): Promise<House> {
  const cluster = await startNodes(2, { bus: "memory", config });
  const [here, there] = cluster.nodes as [TestServer, TestServer];
  const know = async ({ ctx }: TestServer) => {
    await ctx.cluster?.refresh();
    return ctx.cluster?.nodes.length === 2;
  };
  await eventually("the nodes know each other", async () => (await know(here)) && (await know(there)));
  return {
    here,
    there,
    away: ({ credential }) => new Client(there.url, credential),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
