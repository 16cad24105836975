import { useEffect, useRef, useState } from "react";

/**
 * Returns true once the user has marked the open conversation as unread, on any device: looking at it does not read it.
 * Ends when it is read, or opened again. Reading moves the mark forward, and only the user moves it back. `fromSeq` is
 * undefined while the mark is not known.
 */
export function useKeptUnread(fromSeq: number | null | undefined): boolean {
  const before = useRef(fromSeq);
  const [isKept, setKept] = useState(false);
  useEffect(() => {
    const last = before.current;
    before.current = fromSeq;
    if (fromSeq == null) setKept(false);
    else if (last === null || (last !== undefined && fromSeq < last)) setKept(true);
  }, [fromSeq]);
  return isKept;
}
