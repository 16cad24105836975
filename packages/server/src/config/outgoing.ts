import { boolean, networksOrNone, type Variable } from "./parse.ts";

/** Parses who answers for the push messages: `mailto:` or https, as push services demand (RFC 8292). */
function pushSubject(raw: string): string {
  const url = URL.parse(raw);
  const isMail = url?.protocol === "mailto:" && url.pathname.includes("@");
  if (isMail || (url?.protocol === "https:" && url.hostname !== "localhost")) return raw;
  throw new Error("must be mailto:<address> or an https URL");
}

/** Settings of requests to addresses that users name, and of push messages. */
export const OUTGOING_VARIABLES = {
  egressAllow: {
    name: "PARLEY_EGRESS_ALLOW",
    meaning:
      "Addresses or networks, separated by commas, that the server may call although they are not on the public internet when a user names them; http to them is allowed, too. Needed only for a push service inside your network.",
    byDefault: "",
    parse: networksOrNone,
  } satisfies Variable<string[]>,
  linkPreviews: {
    name: "PARLEY_LINK_PREVIEWS",
    meaning:
      "Whether the server fetches the pages to which links in new messages lead, and shows their titles and pictures below the messages. Admins of a channel can switch that off for it.",
    byDefault: "true",
    parse: boolean,
  } satisfies Variable<boolean>,
  linkPreviewNetworks: {
    name: "PARLEY_LINK_PREVIEW_NETWORKS",
    meaning:
      "Addresses or networks inside your own network whose pages previews may show, separated by commas; http to them is allowed, too. Everybody who can send a message then sees what the pages there say without a login. `PARLEY_EGRESS_ALLOW` does not count for previews.",
    byDefault: "",
    parse: networksOrNone,
  } satisfies Variable<string[]>,
  push: {
    name: "PARLEY_PUSH",
    meaning: "Whether the server sends push messages to browsers (Web Push).",
    byDefault: "true",
    parse: boolean,
  } satisfies Variable<boolean>,
  pushSubject: {
    name: "PARLEY_PUSH_SUBJECT",
    meaning:
      "Who answers for the push messages, for the browsers' push services: `mailto:<address>` or an https URL. Default: the public URL.",
    byDefault: null,
    parse: pushSubject,
  } as Variable<string | null>,
};
