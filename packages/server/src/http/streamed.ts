import type { AppContext } from "../context.ts";

/** Text is gathered up to this many characters before it is handed over: fewer and larger pieces cost less. */
const PIECE = 64 * 1024;

/**
 * An answer whose body is made while it is sent, as a file to keep. The next piece is made when the last one was taken, so a slow reader
 * holds one piece in memory and no more, and one who goes away ends the work. Whoever reads it must be able to tell a whole body from one
 * that broke off: by then the status has long been 200, so a failure is logged and the connection cut.
 */
export function streamed(ctx: AppContext, pieces: AsyncGenerator<string>, type: string, fileName: string): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = await gather(pieces);
          if (text === "") controller.close();
          else controller.enqueue(encoder.encode(text));
        } catch (error) {
          ctx.log.error({ err: error, fileName }, "an answer broke off");
          controller.error(error);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": type, "content-disposition": `attachment; filename="${fileName}"` };
  return new Response(body, { headers });
}

/** The next piece; empty at the end. */
async function gather(pieces: AsyncGenerator<string>): Promise<string> {
  let text = "";
  while (text.length < PIECE) {
    const next = await pieces.next();
    if (next.done === true) break;
    text += next.value;
  }
  return text;
}

/** `[` … `]` around the items of all pages, counted as they pass. */
export async function* jsonList(
  name: string,
  pages: AsyncIterable<readonly string[]>,
  counts: Record<string, number>,
): AsyncGenerator<string> {
  let count = 0;
  yield `,${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    for (const item of page) yield count++ === 0 ? item : `,${item}`;
  }
  counts[name] = count;
  yield "]";
}

/** Goes through something page by page: `read` is given the last row of the page before; a page that is not full is the last. */
export async function* pagesOf<T>(size: number, read: (last: T | undefined) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let page = await read(undefined); ; page = await read(page.at(-1))) {
    yield page;
    if (page.length < size) return;
  }
}
