import { loadConfig } from "../../../src/config/load-config.ts";
import { MemoryBroker } from "../../../src/realtime/broker.memory.ts";
import { startServer } from "../../../src/server.ts";

/**
 * A server that lets others use its PostgreSQL, though its broker reaches none of them: a process for tests of several
 * servers on one database. It ends by SIGKILL.
 */
const onError = (error: unknown): void => console.error(error);
await startServer(loadConfig(process.env), { broker: new MemoryBroker({ onError }) });
