import type { KyselyPlugin, QueryResult, UnknownRow } from "kysely";
import type { AppContext } from "../../src/context.ts";

/** Calls `act` with what each query has returned, and hands the rows over when it has ended. Disposing ends that. */
export function afterReads(ctx: AppContext, act: (result: QueryResult<UnknownRow>) => Promise<void>): Disposable {
  const { db } = ctx;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await act(result);
      return result;
    },
  };
  Object.assign(ctx, { db: db.withPlugin(plugin) });
  return { [Symbol.dispose]: () => void Object.assign(ctx, { db }) };
}
