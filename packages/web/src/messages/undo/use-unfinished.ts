import { useEffect } from "react";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { deletionsOf } from "./deletions.ts";

/** Sends the deletions that an earlier page of the user could not send. */
export function useUnfinishedDeletions(): void {
  const parley = useParley();
  const self = useSelf();
  useEffect(() => {
    if (self !== null) deletionsOf(parley).resume(self);
  }, [parley, self]);
}
