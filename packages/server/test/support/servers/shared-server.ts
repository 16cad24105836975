import { loadConfig } from "../../../src/config/load-config.ts";
import { MemoryBroker } from "../../../src/realtime/broker/broker.memory.ts";
import { startServer } from "../../../src/server.ts";

/**
 * A server for tests of several servers on one PostgreSQL. It accepts other servers there, although its broker does not
 * reach them. SIGKILL ends it.
 */
const onError = (error: unknown): void => console.error(error);
await startServer(loadConfig(process.env), { broker: new MemoryBroker({ onError }) });
