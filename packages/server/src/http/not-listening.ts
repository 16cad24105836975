import { createServer } from "node:net";
import { StartupError } from "../db/startup-error.ts";

const PORT_MAX = 65_535;
/** Of a name that nobody knows Bun 1.4 tells no code at all. */
const FOREIGN: readonly unknown[] = ["EADDRNOTAVAIL", "ENOTFOUND", undefined];

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/**
 * Refuses a host that is none of this machine before anything is made or opened; a port that is taken is told later, when it is clear that not this
 * very server runs there. Bun itself would say of an unknown host that its port is in use. Throws `StartupError`.
 */
export function refuseForeignHost(host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer();
  probe.once("error", (error) => {
    if (!FOREIGN.includes(codeOf(error))) return resolve(); // listening will say it
    const advice = "127.0.0.1 is for this machine only, 0.0.0.0 for all.";
    reject(new StartupError(`HOST is ${host}, which is no address of this machine. ${advice}`, error));
  });
  probe.listen({ host, port: 0 }, () => probe.close(() => resolve()));
  return promise;
}

/**
 * Refuses a port that is taken before the rest of the program is loaded. Another may still take it afterwards, which listening itself tells.
 * Throws `StartupError`.
 */
export function refuseTakenPort(host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer();
  probe.once("error", (error) =>
    codeOf(error) === "EADDRINUSE" ? reject(notListening(host, port, error)) : resolve(),
  );
  probe.listen({ host, port }, () => probe.close(() => resolve()));
  return promise;
}

/** Why nothing can listen there, on a host of this machine. */
export function notListening(host: string, port: number, cause: unknown): StartupError {
  if (codeOf(cause) === "EADDRINUSE") {
    const other = port < PORT_MAX ? port + 1 : port - 1;
    return new StartupError(
      `Port ${port} on ${host} is in use. Stop what listens there, or choose another: PORT=${other}.`,
      cause,
    );
  }
  return new StartupError(
    `Cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`,
    cause,
  );
}
