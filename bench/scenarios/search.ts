import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHANNELS, wordOfRank } from "../corpus.ts";
import { corpusSlug, fillExpress, fillParley } from "../servers/fill.ts";
import { untilIndexed } from "../servers/parley.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Bench, Case, Measurement, Scenario } from "../suite.ts";

/** Enough users that none reaches the search rate of the development profile. */
const USERS = 64;
/** The number of different queries in a case: a single query would measure only the cache. */
const QUERIES = 50;

interface SearchQuery {
  q: string;
  channel?: string;
}

/** A server with the corpus, and sessions of its users. */
interface SearchSetup {
  server: RunningServer;
  cookies: string[];
  indexSeconds: number;
}

const setups = new Map<string, Promise<SearchSetup>>();

function openSearchSetup(bench: Bench, kind: ServerKind): Promise<SearchSetup> {
  const found = setups.get(kind.name) ?? open(bench, kind);
  setups.set(kind.name, found);
  return found;
}

async function open(bench: Bench, kind: ServerKind): Promise<SearchSetup> {
  const dataDir = mkdtempSync(join(tmpdir(), `parley-bench-search-${kind.name}-`));
  process.on("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  let cookies: string[];
  {
    await using first = await RunningServer.start(kind, { dataDir });
    cookies = await kind.sessions(first, USERS);
  }
  const { messages } = bench.settings;
  if (kind.name === "parley") fillParley(join(dataDir, "parley.sqlite"), messages, USERS);
  else fillExpress(join(dataDir, "express.sqlite"), messages, USERS);
  const server = bench.keep(await RunningServer.start(kind, { dataDir }));
  const started = performance.now();
  if (kind.name === "parley") await untilIndexed(server);
  return { server, cookies, indexSeconds: (performance.now() - started) / 1000 };
}

function pathOf({ q, channel }: SearchQuery): string {
  const query = new URLSearchParams({ q, ...(channel === undefined ? {} : { channel_slug: channel }) });
  return `/api/search/messages?${query}`;
}

function searchCase(name: string, ask: (number: number) => SearchQuery): Case {
  const queries = Array.from({ length: QUERIES }, (_, i) => ask(i));
  return {
    name,
    unit: "ms p50",
    servers: ["parley", "express"],
    maxRounds: 3,
    async measure(bench, kind): Promise<Measurement> {
      const { server, cookies, indexSeconds } = await openSearchSetup(bench, kind);
      const requests = queries.map((query, i) => {
        const cookie = cookies[i % cookies.length] ?? "";
        return `GET ${pathOf(query)} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${cookie}\r\n\r\n`;
      });
      const { warmupMs, runMs } = bench.settings;
      const job = {
        port: server.port,
        serverPid: server.pid,
        requests,
        connections: 1,
        expectStatus: 200,
        warmupMs,
        runMs,
      };
      const result = await bench.load.run({ kind: "http", ...job });
      const { messages } = JSON.parse(result.firstBody) as { messages: unknown[] };
      return {
        value: result.p50Ms,
        cpu: result.cpu,
        details: {
          p95_ms: result.p95Ms,
          p99_ms: result.p99Ms,
          searches_per_second: result.answers / result.seconds,
          first_found: messages.length,
          ...(kind.name === "parley" ? { index_seconds: indexSeconds } : {}),
        },
        faults: result.errors > 0 ? [`${result.errors} errors, the first: ${result.firstError}`] : [],
      };
    },
  };
}

/** Sequential searches in a million messages of a hundred channels, newest first. */
export const search: Scenario = {
  name: "search",
  about: "GET /api/search/messages in 1,000,000 messages of 100 public channels (--messages)",
  cases: () => [
    searchCase("common word", (i) => ({ q: wordOfRank(i % 3) })),
    searchCase("rare word", (i) => ({ q: wordOfRank(20_000 + 37 * i) })),
    searchCase("two words", (i) => ({ q: `${wordOfRank(i)} ${wordOfRank(300 + i)}` })),
    searchCase("phrase", (i) => ({ q: `"${wordOfRank(i)} ${wordOfRank(i + 1)}"` })),
    searchCase("common word, small channel", (i) => ({
      q: wordOfRank(i % 3),
      channel: corpusSlug(CHANNELS - 1 - (i % 10)),
    })),
    searchCase("common word, big channel", (i) => ({ q: wordOfRank(i % 3), channel: corpusSlug(0) })),
    searchCase("rare word, small channel", (i) => ({
      q: wordOfRank(2_000 + i),
      channel: corpusSlug(CHANNELS - 1 - (i % 10)),
    })),
    searchCase("beginning", (i) => ({ q: `${wordOfRank(2_500 + 61 * i).slice(0, 4)}*` })),
    searchCase("four common words", (i) => ({ q: `${[0, 1, 2, 3].map((n) => wordOfRank(n + (i % 5))).join(" ")}` })),
    searchCase("phrase that is nowhere", (i) => ({
      q: `"${[0, 1, 2, 3, 4].map((n) => wordOfRank(n + (i % 5))).join(" ")}"`,
    })),
  ],
};
