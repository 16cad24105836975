import { timeoutError } from "./s3-requests.ts";

interface Expectation {
  /** The bytes that must arrive. */
  length: number;
  /** Milliseconds until the next part must arrive. */
  idleMs: number;
}

/**
 * Passes a body on as fast as it is read. Errors with the result of `failure` if no part arrives in time, if the body
 * breaks, or if it ends early: a reader must never take a part of a file for the file.
 */
export function steadyStream(
  body: ReadableStream<Uint8Array>,
  { length, idleMs }: Expectation,
  failure: (error: unknown) => Error,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = length;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const late = Promise.withResolvers<never>();
        const timer = setTimeout(() => late.reject(timeoutError(idleMs)), idleMs);
        try {
          const { done, value } = await Promise.race([reader.read(), late.promise]);
          left -= value?.length ?? 0;
          if (done && left !== 0) throw new Error(`the body of S3 ended ${left} bytes before its end`);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(failure(error));
          await reader.cancel(error).catch(() => {});
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
