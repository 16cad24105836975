import type { EN_MAIL } from "../../en/parts/mail.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of mails. */
export const ZH_MAIL: PartialTexts<typeof EN_MAIL> = {
  title: "邮件",
  off: "此服务器不发送邮件。",
  states: {
    none: "你的账户没有邮箱地址。请在“账户”中填写。",
    unconfirmed: (address) => `你尚未确认 ${address}，因此不会向它发送邮件。`,
    confirmed: (address) => `邮件将发送到 ${address}。`,
    refused: (address) =>
      `${address} 的邮件服务器多次拒收邮件，因此不再向它发送。请重新确认该地址，或在“账户”中填写其他地址。`,
  },
  sendLink: "发送确认邮件",
  linkSent: "含有链接的邮件已在发送途中。打开链接即可确认地址。",
  digest: "关于未读消息的邮件",
  digests: { off: "从不", away: "我离开时", daily: "每天早上一次" },
  digestHint: "列出未读的私信和提及：离开半小时后发送，四小时内最多一封。免打扰时段同样适用。",
  previews: "包含消息文字",
  previewsHint: "否则邮件只说明谁在哪里写了消息。会自动删除消息或需付费的频道，其文字从不包含在内。",
  confirm: {
    title: "确认你的邮箱地址",
    hint: "确认地址后，你可以通过邮件设置新密码，并接收关于未读消息的邮件。",
    submit: "确认地址",
    done: (address, name) => `已为 ${name} 确认 ${address}。`,
  },
  forgot: {
    ask: "忘记密码？",
    title: "设置新密码",
    hint: "请输入用户名或已确认的邮箱地址。你会收到一封含有链接的邮件。",
    account: "用户名或邮箱地址",
    submit: "发送邮件",
    sent: "如果该账户存在且有已确认的地址，邮件已在发送途中。邮件中的链接一小时内有效。如果没有收到邮件，请联系管理员。",
    back: "返回登录",
  },
  invite: {
    title: "通过邮件邀请",
    address: "邮箱地址",
    days: "链接有效期",
    submit: "发送邀请",
    sent: (address) => `发往 ${address} 的邀请已在发送途中。`,
  },
  stuck: (count, time) => `${count} 封邮件在等待；最早的一封自 ${time} 起就该发送。`,
  reason: (reason) => `邮件服务器的最后答复：${reason}`,
  failed: (count) => `过去 24 小时内有 ${count} 封邮件未能送达。`,
};
