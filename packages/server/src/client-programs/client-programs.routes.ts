import { Type } from "typebox";
import { hasTag } from "../http/answers/respond.ts";
import { type Route, route } from "../http/route.ts";
import { clientProgram } from "./client-programs.service.ts";

/** The programs that people run on their own machines (protocol §16.2). */
export const clientProgramRoutes: readonly Route[] = [
  route({
    name: "getClientProgram",
    method: "GET",
    path: "/clients/:file",
    summary:
      "Get a program of this server's version, `parley-acp.tgz` or `parley-claude-channel.tgz`, as npm installs it.",
    tag: "Web page",
    auth: "open",
    documentedActs: "see the service",
    params: Type.Object({ file: Type.String() }),
    query: Type.Object({
      v: Type.Optional(
        Type.String({
          description:
            "The version, which changes nothing but the address: npx keeps what it has once fetched from an address.",
        }),
      ),
    }),
    answers: { 200: Type.String({ description: "The package." }), 304: Type.Unknown() },
    mediaType: "application/gzip",
    errors: ["not_found"],
    async handle({ ctx, params, request }) {
      const { bytes, etag } = await clientProgram(ctx, params.file);
      // A client asks each time whether it has changed: the next release has another one at the same address.
      const headers = { etag, "cache-control": "no-cache" };
      if (hasTag(request, etag)) return new Response(null, { status: 304, headers });
      return new Response(bytes, { headers: { ...headers, "content-type": "application/gzip" } });
    },
  }),
];
