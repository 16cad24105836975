import { createServer } from "node:net";
import { StartupError } from "../../db/startup-error.ts";

const PORT_MAX = 65_535;
/** Error codes of a host that is not on this machine. For an unknown name Bun 1.4 sets no code at all. */
const FOREIGN: readonly unknown[] = ["EADDRNOTAVAIL", "ENOTFOUND", undefined];

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/**
 * Rejects a host that is not on this machine before anything is created or opened. A taken port is reported later, once
 * it is clear that this same server is not already running there. Bun itself reports an unknown host as a port in use.
 * Throws `StartupError`.
 */
export function refuseForeignHost(host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer();
  probe.once("error", (error) => {
    if (!FOREIGN.includes(codeOf(error))) return resolve(); // listening will report it
    const advice = "127.0.0.1 accepts connections from this machine only, 0.0.0.0 from everywhere.";
    reject(new StartupError(`HOST is ${host}, which is not an address of this machine. ${advice}`, error));
  });
  probe.listen({ host, port: 0 }, () => probe.close(() => resolve()));
  return promise;
}

/**
 * Rejects a taken port before the rest of the program is loaded. Another process may still take it afterwards;
 * listening then reports that. Throws `StartupError`.
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

/** Returns the error for a port of this machine that cannot be listened on. */
export function notListening(host: string, port: number, cause: unknown): StartupError {
  if (codeOf(cause) === "EADDRINUSE") {
    const other = port < PORT_MAX ? port + 1 : port - 1;
    return new StartupError(
      `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port: PORT=${other}.`,
      cause,
    );
  }
  return new StartupError(
    `Cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`,
    cause,
  );
}
