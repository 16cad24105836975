import { type RefObject, useEffect, useState } from "react";
import { useTexts } from "../../i18n/use-texts.ts";
import { DownIcon } from "../../ui/icons.tsx";

type Where = "above" | "below";
const NOWHERE = { above: false, below: false };

/** Buttons that lead to unread channels outside the visible part of the list. `groups` changes with its content. */
export function UnreadPills({ lists, groups }: { lists: RefObject<HTMLElement | null>; groups: object }) {
  const { sidebar: texts } = useTexts();
  const [where, setWhere] = useState(NOWHERE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when the content has changed
  useEffect(() => {
    const { current } = lists;
    if (current === null) return;
    const look = () => {
      const next = { above: unreadIn(current, "above") !== undefined, below: unreadIn(current, "below") !== undefined };
      setWhere((last) => (last.above === next.above && last.below === next.below ? last : next));
    };
    const observer = new ResizeObserver(look);
    for (const element of [current, ...current.children]) observer.observe(element);
    current.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, [lists, groups]);
  const pill = (at: Where, text: string) => (
    <button
      type="button"
      className="unread-pill"
      data-at={at}
      onClick={() => lists.current !== null && unreadIn(lists.current, at)?.scrollIntoView({ block: "center" })}
    >
      <DownIcon />
      <span>{text}</span>
    </button>
  );
  return (
    <>
      {where.above && pill("above", texts.unreadAbove)}
      {where.below && pill("below", texts.unreadBelow)}
    </>
  );
}

/** Returns the nearest unread channel above or below the visible part of the list. */
function unreadIn(lists: HTMLElement, at: Where): Element | undefined {
  const frame = lists.getBoundingClientRect();
  const rows = [...lists.querySelectorAll(".channel-link[data-unread]")];
  const middle = (row: Element) => row.getBoundingClientRect().top + row.getBoundingClientRect().height / 2;
  return at === "above"
    ? rows.findLast((row) => middle(row) < frame.top)
    : rows.find((row) => middle(row) > frame.bottom);
}
