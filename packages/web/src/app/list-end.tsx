import { useTexts } from "./parley-context.ts";

/** Below a list: that it comes, that there is nothing, or a way to more of it. */
export function ListEnd({
  list,
  none,
}: {
  list: { items: readonly unknown[] | null; hasMore: boolean; more(): void };
  none: string;
}) {
  const { app, messages } = useTexts();
  if (list.items === null) return <p className="hint">{app.loading}</p>;
  if (list.items.length === 0) return <p className="hint">{none}</p>;
  if (!list.hasMore) return null;
  return (
    <button type="button" className="quiet" onClick={list.more}>
      {messages.moreResults}
    </button>
  );
}
