import { beforeSlow, type SlowKind } from "../../../src/http/acts/slow.ts";
import type { TestServer } from "../servers/test-server.ts";

/** A call of something slow that waits until the test lets it go on. */
export interface HeldCall {
  readonly kind: SlowKind;
  release(): void;
}

/**
 * Stops the next slow call of the server. Later ones pass. The result resolves when the call has come, and with null if
 * `over` is done before.
 */
export function stopNext({ ctx }: TestServer, isMeant: (kind: SlowKind) => boolean = () => true): Promise<HeldCall> {
  const { promise, resolve } = Promise.withResolvers<HeldCall>();
  const hook = beforeSlow(ctx);
  hook.hold = (kind) => {
    if (!isMeant(kind)) return Promise.resolve();
    hook.hold = null;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    resolve({ kind, release });
    return released;
  };
  return promise;
}

/** Begins `act`, does `meanwhile` while its next slow call is stopped, and returns the answer of `act`. */
export async function during<T>(
  server: TestServer,
  act: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  const held = stopNext(server);
  const acting = act();
  const { release } = await held;
  await meanwhile();
  release();
  return acting;
}
