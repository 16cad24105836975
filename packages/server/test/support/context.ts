import { hashWith } from "../../src/accounts/passwords/passwords.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { Config } from "../../src/config/config.ts";
import type { AppContext } from "../../src/context.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { createLog } from "../../src/logging/log.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import type { Module } from "../../src/module.ts";
import { MemoryRateLimiter } from "../../src/rate-limit/rate-limiter.memory.ts";
import { MemoryBroker } from "../../src/realtime/broker/broker.memory.ts";
import { Hub } from "../../src/realtime/hub.ts";
import { MemoryPresence } from "../../src/realtime/presence/presence.memory.ts";
import { usualTiming } from "../../src/timing.ts";
import { testConfig } from "./config.ts";
import { quickPasswords } from "./quick-passwords.ts";

interface ContextOptions {
  config?: Partial<Config>;
  clock?: Clock;
  /** Absent: a lone server. */
  cluster?: Cluster;
  /** Receives the cleanups for the stop of the server. Without it, they are dropped. */
  onClose?: AppContext["onClose"];
  /** Modules whose hooks take part; none if absent. */
  modules?: readonly Module[];
  /** Hashes passwords in threads and at the protocol's cost, as a server does. */
  threads?: boolean;
}

/** Returns a whole context on a database of `eachDatabase`, without HTTP, to test services. */
export function testContext(open: OpenDatabase, options: ContextOptions = {}): AppContext {
  const { clock = systemClock } = options;
  const config = testConfig(options.config);
  const onError = (error: unknown) => {
    throw error;
  };
  const broker = new MemoryBroker({ onError });
  const hub = new Hub(broker, onError);
  broker.onMessages((topic, messages) => hub.deliver(topic, messages));
  const ctx: AppContext = {
    config,
    log: createLog({ level: "silent", readable: false }),
    clock,
    timing: usualTiming,
    db: open.db,
    epoch: "test",
    metrics: new Metrics(clock),
    cluster: options.cluster ?? null,
    redis: null,
    broker,
    hub,
    presence: new MemoryPresence(),
    limiter: new MemoryRateLimiter(config, clock),
    slots: new Map(),
    get root() {
      return ctx;
    },
    storageError: () => undefined,
    afterCommit: (act) => act(),
    onClose: options.onClose ?? (() => {}),
  };
  if (!options.threads) hashWith(ctx, quickPasswords);
  for (const { register } of options.modules ?? []) register?.(ctx, options.modules ?? []);
  return ctx;
}
