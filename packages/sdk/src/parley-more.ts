/** More of the types that `parley.ts` exports. */
export type { Forwarded } from "@parley/protocol/forwarded";
export type { ForwardBody, ForwardResponse, ForwardsResponse } from "@parley/protocol/forwards";
export type {
  SavedIdsResponse,
  SavedListResponse,
  SavedMessage,
  SavedQuery,
  SavedResponse,
} from "@parley/protocol/saved";
export type { ScheduledListResponse, ScheduledMessage, ScheduledQuery } from "@parley/protocol/scheduled";
