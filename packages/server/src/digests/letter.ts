import type { MailLanguage } from "@parley/protocol/mail";
import { languageOf } from "../accounts/addresses/language.ts";
import type { AppContext } from "../context.ts";
import type { Missed, MissedPlace } from "../notifications/missed/missed.ts";
import { siteName } from "../site/site.ts";
import { type DigestReader, missedBy, readerOf } from "./decide.ts";
import { findDigest } from "./digests.store.ts";
import { type DigestParameters, planAgain } from "./send-due.ts";
import { DIGEST_TEXTS } from "./texts.ts";

/** Places in a digest, and texts of each; of more only the number. */
const PLACES = 10;
const TEXTS_OF_PLACE = 3;
const NAMES = 3;

/** A part of a digest, from top to bottom. */
export type DigestPart =
  | { readonly kind: "heading"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "quote"; readonly by: string; readonly text: string; readonly url: string }
  | { readonly kind: "button"; readonly label: string; readonly url: string };

/** A digest that may be sent now. */
export interface DigestLetter {
  to: string;
  language: MailLanguage;
  subject: string;
  parts: DigestPart[];
  footer: string;
  /** Digests of a user are one thread in a mail program. */
  thread: string;
  unsubscribe: { url: string; label: string };
}

/**
 * Makes the digest of a user from what they have missed, as it is at this moment. Returns why there is none: everything was
 * read meanwhile, the user may not or does not want to read it any more, or quiet hours have begun; then it is planned
 * again. Call it in a transaction.
 */
export async function digestLetter(
  ctx: AppContext,
  userId: number,
  parameters: DigestParameters,
): Promise<DigestLetter | { dropped: string }> {
  const digest = await findDigest(ctx.db, userId);
  const now = ctx.clock.now();
  const reader = await readerOf(ctx, userId, now);
  if (digest === undefined || reader === null) return { dropped: "not wanted" };
  if (reader.quietUntil > now) {
    await planAgain(ctx, reader, parameters);
    return { dropped: "quiet hours" };
  }
  const places = await missedBy(ctx, reader, parameters.since);
  if (places.length === 0) return { dropped: "read" };
  return letterOf(ctx, { reader, places, token: digest.token });
}

async function letterOf(
  ctx: AppContext,
  { reader, places, token }: { reader: DigestReader; places: readonly MissedPlace[]; token: string },
): Promise<DigestLetter> {
  const language = languageOf(reader.user);
  const texts = DIGEST_TEXTS[language];
  const count = places.reduce((sum, { messages }) => sum + messages.length, 0);
  const site = await siteName(ctx);
  const newestFirst = places.toSorted((a, b) => newestOf(b) - newestOf(a));
  const more = newestFirst.slice(PLACES).reduce((sum, { messages }) => sum + messages.length, 0);
  const origin = ctx.config.publicUrl ?? "";
  return {
    to: reader.address,
    language,
    subject: texts.subject(count, site),
    parts: [
      { kind: "text", text: texts.hello(reader.user.username, site) },
      ...newestFirst.slice(0, PLACES).flatMap((place) => partsOf(place, language, origin)),
      ...(more > 0 ? [{ kind: "text", text: texts.more(more) } as const] : []),
    ],
    footer: texts.footer,
    thread: `digests ${token}`,
    unsubscribe: { url: `${origin}/mail/unsubscribe/${token}`, label: texts.end },
  };
}

/** Returns the parts of a channel: who wrote how much, the newest texts that may leave the server, and a link to the first message. */
function partsOf({ channel, messages }: MissedPlace, language: MailLanguage, origin: string): DigestPart[] {
  const texts = DIGEST_TEXTS[language];
  const isDirect = channel.direct !== null;
  const names = [...new Set(messages.map(({ from }) => from?.name ?? texts.somebody))];
  const who = names.length > NAMES ? [...names.slice(0, NAMES), texts.others(names.length - NAMES)] : names;
  const listed = new Intl.ListFormat(language, { type: "conjunction" }).format(who);
  const link = ({ messageId }: Missed) => `${origin}/#/c/${encodeURIComponent(channel.slug)}/${messageId}`;
  const quotes = messages
    .slice(-TEXTS_OF_PLACE)
    .flatMap((message): DigestPart[] =>
      message.text === null
        ? []
        : [{ kind: "quote", by: message.from?.name ?? texts.somebody, text: message.text, url: link(message) }],
    );
  const [first] = messages;
  return [
    { kind: "heading", text: isDirect ? texts.direct : `#${channel.name}` },
    { kind: "text", text: texts.from(messages.length, listed) },
    ...quotes,
    ...(first === undefined ? [] : [{ kind: "button", label: texts.open, url: link(first) } as const]),
  ];
}

const newestOf = ({ messages }: MissedPlace): number => messages.at(-1)?.at ?? 0;
