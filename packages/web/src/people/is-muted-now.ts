import type { Member } from "@parley/protocol/models";

/** True while the member may not write. */
export const isMutedNow = ({ muted_until }: Member): boolean =>
  muted_until !== null && Date.parse(muted_until) > Date.now();
