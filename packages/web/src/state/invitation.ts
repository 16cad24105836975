/** The contents of an invitation link. */
export interface Invitation {
  /** The inviter's code; null: the link has none. */
  code: string | null;
  /** The channel that the link leads to; null: the start page. */
  channelSlug: string | null;
}

const PATH = "/join";

/** Reads `/join?invite=<code>&channel=<slug>`; null for any other address. */
export function parseInvitation({ pathname, search }: { pathname: string; search: string }): Invitation | null {
  if (pathname !== PATH) return null;
  const query = new URLSearchParams(search);
  return { code: query.get("invite")?.trim() || null, channelSlug: query.get("channel")?.trim().toLowerCase() || null };
}

/** Returns the link with which a user invites others. */
export function invitationLink(origin: string, code: string, channelSlug: string | null): string {
  const query = new URLSearchParams({ invite: code, ...(channelSlug === null ? {} : { channel: channelSlug }) });
  return `${origin}${PATH}?${query}`;
}
