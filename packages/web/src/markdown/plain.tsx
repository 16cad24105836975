import type { ReactNode } from "react";
import { inOrder, OuterLink, shownPiece } from "./elements.tsx";
import { marksOf } from "./marks.ts";
import { type Part, plainParts } from "./plain-parts.ts";
import type { TextProps } from "./text.ts";

/** A text as it was written, with mentions and web addresses. */
export function Plain({ message, hits, isStatic, end }: TextProps): ReactNode {
  const shown = ({ pieces, href }: Part) => (
    <OuterLink href={href} isStatic={isStatic}>
      {inOrder(pieces.map(shownPiece))}
    </OuterLink>
  );
  return (
    <>
      {inOrder(plainParts(marksOf(message, hits)).map(shown))}
      {end}
    </>
  );
}
