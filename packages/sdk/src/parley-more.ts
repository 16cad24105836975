/** More of the types that `parley.ts` exports. */
export type {
  SavedIdsResponse,
  SavedListResponse,
  SavedMessage,
  SavedQuery,
  SavedResponse,
} from "@parley/protocol/saved";
export type { ScheduledListResponse, ScheduledMessage, ScheduledQuery } from "@parley/protocol/scheduled";
