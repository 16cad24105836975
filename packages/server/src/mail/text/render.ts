import MailComposer from "nodemailer/lib/mail-composer";
import type { MailFrom } from "../../config/mail.ts";
import type { Letter, LetterPart } from "../letter.ts";

/** The sender, the address and the headers of a mail. */
export interface Stationery {
  readonly from: MailFrom;
  readonly siteName: string;
  readonly publicUrl: string;
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

const SUBJECT_MAX = 200;
const LANGUAGE_TAGS = { en: "en", zh: "zh-Hans", es: "es" } as const;

/** Returns a mail as it travels: text and HTML, with headers that nobody's name or words can add to. */
export async function renderMail(letter: Letter, stationery: Stationery): Promise<Buffer> {
  const { from, messageId, now } = stationery;
  const thread = letter.thread === undefined ? undefined : threadId(letter.thread, from.address);
  const composer = new MailComposer({
    from: { name: oneLine(from.name ?? stationery.siteName), address: from.address },
    to: { name: "", address: letter.to },
    subject: oneLine(letter.subject).slice(0, SUBJECT_MAX).toWellFormed(),
    text: plainText(letter),
    html: htmlText(letter, stationery),
    messageId,
    date: new Date(now),
    ...(thread === undefined ? {} : { inReplyTo: thread, references: [thread] }),
    headers: {
      // Answering machines leave such mails alone (RFC 3834).
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      "Content-Language": LANGUAGE_TAGS[letter.language],
      ...unsubscribing(letter),
    },
    textEncoding: "quoted-printable",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  composer.compile().build((error, bytes) => (error === null ? resolve(bytes as Buffer) : reject(error)));
  return promise;
}

function unsubscribing({ unsubscribe }: Letter): Record<string, string> {
  if (unsubscribe === undefined) return {};
  return { "List-Unsubscribe": `<${unsubscribe.url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
}

/** Returns the Message-ID of a mail that was never sent: the mails of a thread all answer it. */
const threadId = (thread: string, address: string): string =>
  `<${Bun.SHA256.hash(thread, "hex").slice(0, 40)}@${address.split("@")[1] ?? "localhost"}>`;

/** Returns a text without what ends a line, or changes the direction of what follows. */
const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();

/** Returns a text that may have several lines, without other control characters. */
const clean = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")
    .toWellFormed();

/** Returns the letter as plain text. */
export function plainText({ parts, footer, unsubscribe }: Letter): string {
  const blocks = parts.map((part) => {
    if (part.kind === "button") return `${oneLine(part.label)}:\n${part.url}`;
    if (part.kind === "heading") return `## ${oneLine(part.text)}`;
    if (part.kind === "text") return clean(part.text);
    const lines = clean(part.text)
      .split("\n")
      .map((line) => `> ${line}`);
    return [`${oneLine(part.by)}:`, ...lines, ...(part.url === undefined ? [] : [part.url])].join("\n");
  });
  const end = unsubscribe === undefined ? "" : `\n${oneLine(unsubscribe.label)}: ${unsubscribe.url}`;
  return `${[...blocks, `-- \n${clean(footer)}${end}`].join("\n\n")}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "");

const lines = (text: string): string => escaped(clean(text)).replaceAll("\n", "<br>");

/** Colours have enough contrast in light and dark; mail programs that know no media query show the light ones. */
const STYLE = `
  body{margin:0;padding:24px 12px;background:#f4f5f7;color:#1b1f24;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Microsoft YaHei",sans-serif}
  .card{max-width:560px;margin:0 auto;padding:24px;background:#fff;border-radius:12px;overflow-wrap:anywhere}
  .site{margin:0 0 16px;font-weight:600;color:#57606a}
  h2{font-size:17px;margin:24px 0 8px}
  p{margin:0 0 16px}
  .button{display:inline-block;padding:10px 18px;border-radius:8px;background:#2348c8;color:#fff;text-decoration:none;font-weight:600}
  .plain{font-size:14px;color:#57606a}
  .plain a,blockquote a,.footer a{color:#2348c8}
  blockquote{margin:0 0 16px;padding:4px 0 4px 12px;border-left:3px solid #d0d7de}
  .footer{max-width:560px;margin:16px auto 0;padding:0 24px;font-size:13px;color:#57606a}
  @media (prefers-color-scheme:dark){
    body{background:#0f1216;color:#e6e9ee}
    .card{background:#1a1f26}
    .site,.plain,.footer{color:#a3adb8}
    .button{background:#8fa8ff;color:#0b1020}
    .plain a,blockquote a,.footer a{color:#a9bcff}
    blockquote{border-color:#3a434f}
  }`;

/** Returns the letter as HTML: no script, no picture, nothing from another host. */
export function htmlText(letter: Letter, { siteName }: Pick<Stationery, "siteName">): string {
  const tag = LANGUAGE_TAGS[letter.language];
  return `<!doctype html>
<html lang="${tag}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escaped(oneLine(letter.subject))}</title><style>${STYLE}</style></head>
<body><main class="card"><p class="site">${escaped(oneLine(siteName))}</p>
${letter.parts.map(htmlPart).join("\n")}
</main><p class="footer">${lines(letter.footer)}${unsubscribeLink(letter)}</p></body></html>`;
}

const unsubscribeLink = ({ unsubscribe }: Letter): string =>
  unsubscribe === undefined
    ? ""
    : `<br><a href="${escaped(unsubscribe.url)}">${escaped(oneLine(unsubscribe.label))}</a>`;

function htmlPart(part: LetterPart): string {
  if (part.kind === "text") return `<p>${lines(part.text)}</p>`;
  if (part.kind === "heading") return `<h2>${escaped(oneLine(part.text))}</h2>`;
  if (part.kind === "quote") {
    const by = escaped(oneLine(part.by));
    const who = part.url === undefined ? by : `<a href="${escaped(part.url)}">${by}</a>`;
    return `<blockquote><strong>${who}</strong><br>${lines(part.text)}</blockquote>`;
  }
  const url = escaped(part.url);
  // The address is also there to be read and copied: some programs show no link.
  return `<p><a class="button" href="${url}">${escaped(oneLine(part.label))}</a></p><p class="plain"><a href="${url}">${url}</a></p>`;
}
