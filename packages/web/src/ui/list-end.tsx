import { useTexts } from "../i18n/use-texts.ts";

/** The end of a list: a loading note, an empty note, or a button that loads more. */
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
    <button type="button" className="secondary" onClick={list.more}>
      {messages.moreResults}
    </button>
  );
}
