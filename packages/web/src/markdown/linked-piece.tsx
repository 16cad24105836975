import type { ReactNode } from "react";
import { withEmoji } from "../emoji/server-picture.tsx";
import { useParley } from "../session/parley-context.ts";
import { channelHref } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { hrefOf } from "./address.ts";
import { inOrder, OuterLink, shownPiece } from "./elements.tsx";
import { type Found, foundLinks } from "./found-links.ts";
import type { Piece } from "./marks.ts";

/** Shows a piece of running text without links. */
export const staticPiece = (piece: Piece): ReactNode =>
  piece.kind === "text" ? inOrder(withEmoji(piece.text)) : shownPiece(piece);

/** Shows a piece of running text, with links to email addresses and to the channels that the reader knows. */
export function linkedPiece(piece: Piece): ReactNode {
  if (piece.kind !== "text") return shownPiece(piece);
  const parts = foundLinks(piece.text);
  return inOrder(parts.map(shownPart));
}

function shownPart(part: Found): ReactNode {
  if (part.kind === "text") return inOrder(withEmoji(part.text));
  if (part.kind === "channel") return <ChannelName slug={part.slug} text={part.text} />;
  return (
    <OuterLink href={hrefOf(`mailto:${part.text}`)} isStatic={false}>
      {part.text}
    </OuterLink>
  );
}

/** The name of a channel: a link if this reader's list has it, and text otherwise, as if there were none. */
function ChannelName({ slug, text }: { slug: string; text: string }) {
  const { channels } = useStore(useParley().channels.view);
  if (!channels.some((each) => each.channel_slug === slug && !each.is_direct)) return text;
  return (
    <a className="mention" href={channelHref(slug)}>
      {text}
    </a>
  );
}
