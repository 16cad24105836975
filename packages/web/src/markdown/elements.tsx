import { createContext, createElement, Fragment, type ReactNode, useContext } from "react";
import { useSelf } from "../session/parley-context.ts";
import { placeIn } from "../state/route.ts";
import type { Piece } from "./marks.ts";

/** Returns a list as children of an element. A text changes only as a whole, so the place of a piece identifies it. */
export const inOrder = (pieces: readonly ReactNode[]): ReactNode => createElement(Fragment, null, ...pieces);

/** Shows a piece of a text. */
export function shownPiece(piece: Piece): ReactNode {
  if (piece.kind === "mention") return <Mention name={piece.name} text={piece.text} />;
  return piece.kind === "hit" ? <mark>{piece.text}</mark> : piece.text;
}

/** Handles a press on a mention; null: nothing happens, as within a link. */
export const MentionContext = createContext<{ open(name: string, anchor: HTMLElement): void; isStop: boolean } | null>(
  null,
);

/** A mention; the reader's own stands out. */
function Mention({ name, text }: { name: string; text: string }) {
  const self = useSelf();
  const press = useContext(MentionContext);
  // Nobody has this name: it calls everybody who is online.
  const isHere = name === "here";
  const isMe = self !== null && (isHere || name.toLowerCase() === self.toLowerCase());
  const shown = <bdi className={isMe ? "mention me" : "mention"}>{text}</bdi>;
  if (press === null || isHere) return shown;
  return (
    <button
      type="button"
      className="card-opener"
      tabIndex={press.isStop ? 0 : -1}
      aria-haspopup="dialog"
      onClick={({ currentTarget }) => press.open(name, currentTarget)}
    >
      {shown}
    </button>
  );
}

/** A link out of Parley, or to a place in this page, which opens here. `isStatic`: only looks like one. */
export function OuterLink({
  href,
  isStatic,
  children,
}: {
  href: string | null;
  isStatic: boolean;
  children: ReactNode;
}) {
  if (href === null) return children;
  if (isStatic) return <span className="linked">{children}</span>;
  const place = placeIn(href, globalThis.location?.origin ?? "");
  if (place !== null) return <a href={place}>{children}</a>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {children}
    </a>
  );
}

/** A box that scrolls sideways, also with the keyboard. */
export function ScrollBox({ label, isStatic, children }: { label: string; isStatic: boolean; children: ReactNode }) {
  if (isStatic) return <div className="scroll-box">{children}</div>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark, and a fieldset holds controls
    // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focused box scrolls with the arrow keys
    <div className="scroll-box" role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
