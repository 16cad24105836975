import { loadConfig } from "../../../src/config/load-config.ts";
import { MemoryBroker } from "../../../src/realtime/broker/broker.memory.ts";
import { startServer } from "../../../src/server.ts";
import { environment } from "./kill-before.ts";

/** A server that kills itself before a statement. */
const onError = (error: unknown): void => console.error(error);
await startServer(loadConfig(environment), { broker: new MemoryBroker({ onError }) });
