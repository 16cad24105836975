import type { EN_INVITATIONS } from "../../en/parts/invitations.ts";
import { grouped } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of invitations. */
export const ZH_INVITATIONS: PartialTexts<typeof EN_INVITATIONS> = {
  title: "有期限的邀请",
  hint: "每个邀请在若干天内有效，可注册若干个账号。你可以提前撤销。",
  all: "所有用户的邀请",
  days: "有效期",
  dayChoices: { "1": "1 天", "7": "7 天", "30": "30 天", "90": "90 天" },
  uses: "最多注册账号数",
  make: "创建邀请",
  link: (code) => `${code} 的链接`,
  by: (name) => `由 ${name} 创建`,
  used: (uses, most) => `已注册 ${grouped(uses)}/${grouped(most)} 个账号`,
  until: (time) => `${time} 前有效`,
  states: { open: "有效", revoked: "已撤销", used_up: "已用完", expired: "已过期" },
  revoke: "撤销",
  none: "还没有邀请。",
};
