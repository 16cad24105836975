import type { MailLanguage } from "@parley/protocol/mail";

/** A piece of a letter, from top to bottom. Every text is plain: `render.ts` escapes it for each form. */
export type LetterPart =
  | { readonly kind: "text"; readonly text: string }
  /** A link that stands out. `url` begins with the public URL. */
  | { readonly kind: "button"; readonly label: string; readonly url: string }
  | { readonly kind: "heading"; readonly text: string }
  /** A text that somebody wrote, and its author. */
  | { readonly kind: "quote"; readonly by: string; readonly text: string; readonly url?: string };

/** A mail that is ready to be written: everything but its form. */
export interface Letter {
  /** The address that it goes to. */
  readonly to: string;
  readonly language: MailLanguage;
  readonly subject: string;
  readonly parts: readonly LetterPart[];
  /** Why the reader gets it, and what they can do about that. */
  readonly footer: string;
  /** Mails with the same text are one thread in a mail program (`In-Reply-To`). Absent: the mail belongs to no thread. */
  readonly thread?: string;
  /** The address at which one POST ends such mails (RFC 8058), and the label of the link to it. */
  readonly unsubscribe?: { readonly url: string; readonly label: string };
}

/** Why a mail is not sent any more, in a word for the operator: `suspended`, `changed`, `not confirmed`. */
export interface Dropped {
  readonly dropped: string;
}

export const isDropped = (letter: Letter | Dropped): letter is Dropped => "dropped" in letter;
