import { UserParams } from "@parley/protocol/accounts";
import { DeleteUserBody, DeleteUserResponse, UserExport } from "@parley/protocol/privacy";
import { clearedSessionCookie } from "../accounts/sessions/sessions.ts";
import { streamed } from "../http/answers/streamed.ts";
import { type Route, route } from "../http/route.ts";
import { eraseUser } from "./erasure.service.ts";
import { checkOwnExport, type ExportParts, userExport } from "./export.ts";

const tag = "Accounts";

/** Routes of issue 3, point 6: export of the caller's data, which consists of `parts`, and deletion of an account. */
export const privacyRoutes = (parts: ExportParts): readonly Route[] => [
  route({
    name: "exportUser",
    method: "GET",
    path: "/api/user/:username/export",
    summary:
      "Download a copy of all the caller's data, as one JSON document. A document without `complete: true` at its end is incomplete.",
    tag,
    auth: "session",
    documentedActs: "copy own data",
    params: UserParams,
    rates: [{ policy: "export", by: "identity" }],
    answers: { 200: UserExport },
    errors: ["forbidden", "user_not_found"],
    async handle({ ctx, caller, params }) {
      await checkOwnExport(ctx, caller, params.username);
      return streamed(ctx, userExport(ctx, caller, parts), "application/json", `${caller.username}.json`);
    },
  }),
  route({
    name: "deleteUser",
    method: "DELETE",
    path: "/api/user/:username",
    summary:
      "Delete an account permanently. Its messages remain under the name `deleted-user`; all personal data is removed.",
    tag,
    auth: "session",
    documentedActs: "delete account",
    params: UserParams,
    body: DeleteUserBody,
    bodyOptional: true,
    invalid: { password: "reauth_required" },
    answers: { 200: DeleteUserResponse },
    errors: [
      "reauth_required",
      "forbidden",
      "user_not_found",
      "owns_channels",
      "open_red_packets",
      "last_owner",
      "overloaded",
    ],
    async handle({ ctx, caller, params, body, headers }) {
      await eraseUser(ctx, caller, params.username, body.password);
      if (params.username.toLowerCase() === caller.username.toLowerCase()) {
        headers.append("set-cookie", clearedSessionCookie(ctx.config));
      }
      return { message: "The account is deleted. Its name is removed from its messages within minutes." };
    },
  }),
];
