import type { MailLanguage } from "@parley/protocol/mail";
import { languageAsked } from "../../accounts/addresses/language.ts";
import type { AppContext } from "../../context.ts";
import { siteName } from "../../site/site.ts";

type Shown = "ask" | "done" | "unknown";

interface Texts {
  title: string;
  ask: string;
  button: string;
  done: string;
  unknown: string;
}

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    title: "Mails about what you missed",
    ask: "Do you want to get no more mails about missed messages? You can turn them on again in your notification settings.",
    button: "Send no more",
    done: "You get no more mails about missed messages. You can turn them on again in your notification settings.",
    unknown: "This link does not belong to an account. Perhaps it is incomplete, or the account was deleted.",
  },
  zh: {
    title: "未读消息邮件",
    ask: "不再接收关于未读消息的邮件吗？你随时可以在通知设置中重新开启。",
    button: "不再发送",
    done: "你不会再收到关于未读消息的邮件。你可以在通知设置中重新开启。",
    unknown: "此链接不属于任何账户。链接可能不完整，或者账户已被删除。",
  },
  es: {
    title: "Correos sobre lo que te has perdido",
    ask: "¿No quieres recibir más correos sobre mensajes sin leer? Puedes volver a activarlos en los ajustes de notificaciones.",
    button: "No enviar más",
    done: "No recibirás más correos sobre mensajes sin leer. Puedes volver a activarlos en los ajustes de notificaciones.",
    unknown: "Este enlace no pertenece a ninguna cuenta. Quizá esté incompleto o la cuenta se haya eliminado.",
  },
};

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;padding:.5rem 1rem}`;
const STYLE_HASH = Bun.SHA256.hash(STYLE, "base64");

/** No script and nothing from elsewhere; its form goes to its own address. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** Returns the page, in the language that the browser asks for. It does not say whose digests the token ends. */
export async function unsubscribePage(ctx: AppContext, request: Request, shown: Shown): Promise<Response> {
  const language = languageAsked(request.headers.get("accept-language")) ?? "en";
  const texts = TEXTS[language];
  const site = escaped(await siteName(ctx));
  const form = shown === "ask" ? `<form method="post"><button type="submit">${texts.button}</button></form>` : "";
  const html = `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${texts.title} · ${site}</title><style>${STYLE}</style></head>
<body><main><h1>${site}</h1><p>${texts[shown]}</p>${form}</main></body>
</html>
`;
  return new Response(html, {
    status: shown === "unknown" ? 404 : 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-store",
      // Other than with no-referrer, the form is sent with its origin, which shows that no other page sent it.
      "referrer-policy": "same-origin",
      "x-robots-tag": "noindex",
      vary: "accept-language",
    },
  });
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
