import type { SavedIdsResponse, SavedListResponse, SavedResponse } from "@parley/protocol/saved";
import type { UserClient } from "@parley/sdk";

const PATH = "/api/saved";

/** The calls of saved messages (protocol §13.14). They load with what uses them, not with the page's first script. */
export const savedCalls = (client: UserClient) => ({
  add: (id: number) => client.request<SavedResponse>({ method: "PUT", path: `${PATH}/${id}`, idempotent: true }),
  remove: (id: number) => client.request<SavedResponse>({ method: "DELETE", path: `${PATH}/${id}`, idempotent: true }),
  list: (before?: number) => client.request<SavedListResponse>({ method: "GET", path: PATH, query: { before } }),
  ids: () => client.request<SavedIdsResponse>({ method: "GET", path: `${PATH}/ids` }),
});
