import { Type } from "typebox";
import type { AppContext } from "../context.ts";
import { DISCOVERY_LINKS } from "../documents/agents/discovery.ts";
import { fileStorage } from "../files/storage/open-storage.ts";
import { accepts } from "../http/answers/compressed.ts";
import { type Route, route } from "../http/route.ts";
import type { PageName } from "./bundle.ts";
import { appManifest, iconResponse, logoResponse } from "./manifest.ts";
import { appIcon, packed, pageFile, pageHtml, workerScript } from "./web.service.ts";

/**
 * Allows only files of this server: nothing inline, and no text ever parsed as markup. Pictures and sound may also come
 * from the bucket, if the server sends readers there. The policy `parley-worker` of the page vouches for one address,
 * that of the service worker.
 */
function policyOf(ctx: AppContext): string {
  const signed = fileStorage(ctx).signedUrl?.("0".repeat(64), 60, ANY_FILE);
  const files = signed === undefined ? "'self'" : `'self' ${new URL(signed).origin}`;
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${files}; media-src ${files}; connect-src 'self'; ` +
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types parley-worker"
  );
}
const ANY_FILE = { contentType: "image/webp", contentDisposition: "inline", cacheControl: "no-store" };

/** The service worker runs its own script and calls this server; it loads nothing else. */
const WORKER_POLICY =
  "default-src 'none'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

const shared = { method: "GET", tag: "Web page", auth: "open", documentedActs: "see the service" } as const;
/** What it has is up to browsers (the Web Application Manifest of W3C). */
const Manifest = Type.Object({ name: Type.String() }, { additionalProperties: true });
const FILE = Type.String({ description: "The file." });

function pageRoute(name: string, page: PageName, path: string, summary: string): Route {
  return route({
    ...shared,
    name,
    path,
    summary,
    answers: { 200: Type.String({ description: "The page." }) },
    mediaType: "text/html",
    errors: [],
    async handle({ ctx }) {
      return new Response(await pageHtml(ctx, page), {
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policyOf(ctx),
          "cross-origin-opener-policy": "same-origin",
          "referrer-policy": "no-referrer",
          "cache-control": "no-cache",
          link: DISCOVERY_LINKS,
        },
      });
    },
  });
}

/** The web pages (protocol §10). */
export const webRoutes: readonly Route[] = [
  pageRoute("getChatPage", "chat", "/", "The web client."),
  pageRoute("getInvitationPage", "chat", "/join", "The web client, at the address of an invitation."),
  pageRoute("getResetPage", "chat", "/reset", "The web client, at the address of a link to choose a new password."),
  pageRoute(
    "getAccountClaimPage",
    "chat",
    "/claim-account",
    "The web client, at the address of a link that claims an imported account.",
  ),
  pageRoute(
    "getConfirmationPage",
    "chat",
    "/confirm-address",
    "The web client, at the address of a link that confirms an email address.",
  ),
  pageRoute("getSetupPage", "chat", "/setup", "The web client, at the address of a setup code."),
  pageRoute("getClaimPage", "claim", "/claim", "The page on which agent owners get an API key."),
  route({
    ...shared,
    name: "getAsset",
    path: "/assets/:file",
    summary: "A file of the web client. Its name contains a hash of its content.",
    params: Type.Object({ file: Type.String() }),
    answers: { 200: FILE },
    mediaType: "*/*",
    errors: ["not_found"],
    async handle({ ctx, params, request }) {
      const file = await pageFile(ctx, `/assets/${params.file}`);
      const headers = {
        "content-type": file.type,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      };
      const encoding = (["br", "gzip"] as const).find((each) => accepts(request, each));
      if (encoding === undefined) return new Response(file.text, { headers });
      return new Response(packed(ctx, file, encoding), { headers: { ...headers, "content-encoding": encoding } });
    },
  }),
  route({
    ...shared,
    name: "getManifest",
    path: "/manifest.webmanifest",
    summary: "How the web client looks when it is installed as an app.",
    answers: { 200: Manifest },
    mediaType: "application/manifest+json",
    errors: [],
    async handle({ ctx }) {
      const headers = { "content-type": "application/manifest+json", "cache-control": "no-cache" };
      return new Response(JSON.stringify(await appManifest(ctx)), { headers });
    },
  }),
  route({
    ...shared,
    name: "getServiceWorker",
    path: "/sw.js",
    summary: "The service worker of the web client, which shows pushed notifications.",
    query: Type.Object({ language: Type.Optional(Type.String({ description: "The language of its texts." })) }),
    answers: { 200: FILE },
    mediaType: "text/javascript",
    errors: [],
    async handle({ ctx }) {
      return new Response(await workerScript(ctx), {
        headers: {
          "content-type": "text/javascript; charset=utf-8",
          "content-security-policy": WORKER_POLICY,
          // Browsers look for a new version at each visit.
          "cache-control": "no-cache",
        },
      });
    },
  }),
  route({
    ...shared,
    name: "getAppIcon",
    path: "/icons/:file",
    summary: "An icon of the installed app, or of its notifications; `logo`: the logo of the site.",
    params: Type.Object({ file: Type.String() }),
    query: Type.Object({ v: Type.Optional(Type.String({ description: "The version of the logo; ignored." })) }),
    answers: { 200: FILE, 304: FILE },
    mediaType: "image/*",
    errors: ["not_found"],
    handle({ ctx, request, params: { file } }) {
      if (file === "logo") return logoResponse(ctx, request);
      const icon = appIcon(file);
      return new Response(icon, { headers: { "content-type": "image/png", "cache-control": "public, max-age=86400" } });
    },
  }),
  route({
    ...shared,
    name: "getIcon",
    path: "/favicon.ico",
    summary:
      "The site's logo, or Parley's icon, at the path where browsers look for it. `badge` adds a number, 10 for more than 9, or for 0 a dot.",
    query: Type.Object({ badge: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })) }),
    answers: { 200: FILE, 304: FILE },
    mediaType: "image/svg+xml",
    errors: [],
    handle: ({ ctx, request, query: { badge } }) => iconResponse(ctx, request, badge),
  }),
];
