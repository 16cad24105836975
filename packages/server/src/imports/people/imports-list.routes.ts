import { ImportsQuery, ImportsResponse } from "@parley/protocol/imports";
import { type Route, route } from "../../http/route.ts";
import { ADMINISTRATOR, requireLevel } from "../../http/site-levels.ts";
import { importsPage } from "./imports-list.service.ts";

/** The list of imports for administrators (protocol §14.0). */
export const importsListRoutes: readonly Route[] = [
  route({
    name: "listImports",
    method: "GET",
    path: "/api/admin/imports",
    summary: "List the imports, with their progress, and the people who have not claimed their accounts",
    tag: "Administration",
    auth: "session",
    documentedActs: "see imports",
    query: ImportsQuery,
    answers: { 200: ImportsResponse },
    errors: ["forbidden"],
    handle({ ctx, caller, query }) {
      requireLevel(caller, ADMINISTRATOR);
      return importsPage(ctx, query);
    },
  }),
];
