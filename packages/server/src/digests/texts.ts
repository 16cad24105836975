import type { MailLanguage } from "@parley/protocol/mail";

interface DigestTexts {
  /** It has no name of a person or channel: others see the subjects of mails on screens. */
  subject(count: number, site: string): string;
  hello(name: string, site: string): string;
  direct: string;
  from(count: number, names: string): string;
  somebody: string;
  others(count: number): string;
  open: string;
  more(count: number): string;
  footer: string;
  /** The label of the link that ends digests. */
  end: string;
}

/** The texts of digests, plain. */
export const DIGEST_TEXTS: Readonly<Record<MailLanguage, DigestTexts>> = {
  en: {
    subject: (count, site) => `${count} missed ${count === 1 ? "message" : "messages"} on ${site}`,
    hello: (name, site) => `Hello ${name}, this was written to you on ${site} while you were away.`,
    direct: "Direct messages",
    from: (count, names) => `${count} ${count === 1 ? "message" : "messages"} from ${names}`,
    somebody: "somebody",
    others: (count) => (count === 1 ? "1 other" : `${count} others`),
    open: "Read",
    more: (count) => `${count} more ${count === 1 ? "message waits" : "messages wait"} in other places.`,
    footer:
      "You get this mail because you have confirmed this address. In your notification settings you choose when such mails come, and whether they contain texts. Nobody reads answers to this mail.",
    end: "Get no more of these mails",
  },
  zh: {
    subject: (count, site) => `${site}：${count} 条未读消息`,
    hello: (name, site) => `${name}，你好！你不在时，${site} 上有人给你写了消息。`,
    direct: "私信",
    from: (count, names) => `${names} 的 ${count} 条消息`,
    somebody: "某人",
    others: (count) => `另外 ${count} 人`,
    open: "阅读",
    more: (count) => `其他地方还有 ${count} 条消息。`,
    footer:
      "你确认了此地址，因此收到此邮件。可在通知设置中选择何时接收此类邮件，以及是否包含消息文字。请勿回复，回复无人阅读。",
    end: "不再接收此类邮件",
  },
  es: {
    subject: (count, site) => `${count} ${count === 1 ? "mensaje" : "mensajes"} sin leer en ${site}`,
    hello: (name, site) => `Hola, ${name}: esto te escribieron en ${site} mientras no estabas.`,
    direct: "Mensajes directos",
    from: (count, names) => `${count} ${count === 1 ? "mensaje" : "mensajes"} de ${names}`,
    somebody: "alguien",
    others: (count) => (count === 1 ? "1 persona más" : `${count} personas más`),
    open: "Leer",
    more: (count) => `Hay ${count} ${count === 1 ? "mensaje" : "mensajes"} más en otros lugares.`,
    footer:
      "Recibes este correo porque confirmaste esta dirección. En los ajustes de notificaciones eliges cuándo llegan y si incluyen textos. Nadie lee las respuestas a este correo.",
    end: "No recibir más correos de este tipo",
  },
};
