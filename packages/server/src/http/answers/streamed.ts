import type { AppContext } from "../../context.ts";

/** Characters buffered before they are sent: fewer and larger pieces cost less. */
const PIECE = 64 * 1024;

/**
 * Returns an answer whose body is generated while it is sent, as a file to download. Each piece is generated when the
 * previous one has been read, so a slow client holds one piece in memory, and a disconnect ends the work. The status
 * 200 has already been sent when an error occurs, so an error is logged and the connection cut. The format must
 * therefore reveal a truncated body.
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
          ctx.log.error({ err: error, fileName }, "a response was cut off");
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

/** Returns the next piece; empty at the end. */
async function gather(pieces: AsyncGenerator<string>): Promise<string> {
  let text = "";
  while (text.length < PIECE) {
    const next = await pieces.next();
    if (next.done === true) break;
    text += next.value;
  }
  return text;
}

/** Yields `[` … `]` around the items of all pages, and counts them. */
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

/**
 * Yields something page by page: `read` receives the last row of the previous page; a page that is not full is the
 * last.
 */
export async function* pagesOf<T>(size: number, read: (last: T | undefined) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let page = await read(undefined); ; page = await read(page.at(-1))) {
    yield page;
    if (page.length < size) return;
  }
}
