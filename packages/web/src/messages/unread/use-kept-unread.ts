import { useEffect, useRef, useState } from "react";

/**
 * True from when the user marks something as unread that is shown, on any device, until it is read or shown anew: seeing
 * it does not read it meanwhile. Reading moves the mark forward, and only the user moves it back. undefined: not known yet.
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
