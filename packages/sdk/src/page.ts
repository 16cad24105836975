/**
 * One page of a list: the fields of the server's response, and access to the list. Iterating it (`for await`) yields
 * its items and those of all following pages, which are fetched on demand.
 */
export type Page<Body, Item> = Body & {
  /** This page's items, in the order of the iteration. */
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  /** Fetches the next page with the same request options; null after the last one. */
  nextPage(): Promise<Page<Body, Item> | null>;
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>;
};

/** How to read a list. `Query` is the query of one page. */
export interface List<Body, Item, Query> {
  fetch(query: Query): Promise<Body>;
  items(body: Body, query: Query): readonly Item[];
  /** Returns what the next page's query changes; null after the last page. Omit it for a list of one page. */
  next?(body: NoInfer<Body>, query: Query): Partial<Query> | null;
}

/** The `next` of lists whose cursor is an offset. */
export const byOffset = ({ next_offset }: { next_offset: number | null }) =>
  next_offset === null ? null : { offset: next_offset };

/** The `next` of lists, newest first, whose cursor is an id. */
export const byId = ({ has_more, next_before }: { has_more: boolean; next_before: number | null }) =>
  has_more && next_before !== null ? { before: next_before } : null;

/**
 * A call that returns a list. `await` it for its first page, or iterate it with `for await` for the items of all pages.
 * The first page is requested at once.
 */
export class PagePromise<Body extends object, Item> extends Promise<Page<Body, Item>> implements AsyncIterable<Item> {
  /** Makes `then`, `catch` and `finally` return plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(page: Promise<Page<Body, Item>>) {
    super((resolve, reject) => void page.then(resolve, reject));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this;
  }
}

/** Requests the first page of a list. */
export function listPages<Body extends object, Item, Query>(
  list: List<Body, Item, Query>,
  query: Query,
): PagePromise<Body, Item> {
  return new PagePromise(fetchPage(list, query));
}

async function fetchPage<Body extends object, Item, Query>(
  list: List<Body, Item, Query>,
  query: Query,
): Promise<Page<Body, Item>> {
  const body = await list.fetch(query);
  const change = list.next?.(body, query) ?? null;
  const nextPage = () => (change === null ? Promise.resolve(null) : fetchPage(list, { ...query, ...change }));
  const page: Page<Body, Item> = Object.defineProperties(body, {
    items: { value: list.items(body, query) },
    hasNextPage: { value: change !== null },
    nextPage: { value: nextPage },
    [Symbol.asyncIterator]: { value: () => iterate(page) },
  }) as Page<Body, Item>;
  return page;
}

async function* iterate<Body, Item>(first: Page<Body, Item>): AsyncGenerator<Item, void, undefined> {
  for (let page: Page<Body, Item> | null = first; page !== null; page = await page.nextPage()) yield* page.items;
}
