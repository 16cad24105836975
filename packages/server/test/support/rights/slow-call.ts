import { beforeSlow, type SlowKind } from "../../../src/http/acts/slow.ts";
import type { TestServer } from "../servers/test-server.ts";

/** A call of something slow that waits until the test lets it go on. */
export interface HeldCall {
  readonly kind: SlowKind;
  release(): void;
}

/** Stops the next slow call of the server; later ones pass. The result resolves when the call has come. */
export function stopNext({ ctx }: TestServer, isMeant: (kind: SlowKind) => boolean = () => true): Promise<HeldCall> {
  const { promise, resolve } = Promise.withResolvers<HeldCall>();
  const end = beforeSlow(ctx, (kind) => {
    if (!isMeant(kind)) return Promise.resolve();
    end();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    resolve({ kind, release });
    return released;
  });
  return promise;
}

/**
 * Begins `act`, does `meanwhile` while its next slow call, or the next that is meant, is stopped, and returns the answer
 * of `act`. Fails if it answers without one.
 */
export async function during<T>(
  server: TestServer,
  act: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
  meant?: SlowKind | ((kind: SlowKind) => boolean),
): Promise<T> {
  const isMeant = typeof meant === "string" ? (kind: SlowKind) => kind === meant : meant;
  const held = stopNext(server, isMeant);
  const acting = act();
  const first = await Promise.race([held, acting.then((answer) => ({ answer }))]);
  if ("answer" in first) throw new Error(`It was answered without a slow call: ${JSON.stringify(first.answer)}`);
  await meanwhile();
  first.release();
  return acting;
}
