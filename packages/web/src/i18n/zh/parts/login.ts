import type { EN_LOGIN } from "../../en/parts/login.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the window in which people log in and register. */
export const ZH_LOGIN: PartialTexts<typeof EN_LOGIN> = {
  inviteRequired: "邀请码",
  invitedBy: (name) => `${name} 邀请了你。`,
  newHere: "第一次来？",
  forgot: "忘记密码？管理员可以发给你设置新密码的链接。",
  haveOne: "已有账号？",
  welcome: "欢迎回来",
  join: "加入对话",
  continueWith: (provider) => `使用 ${provider} 继续`,
  orPassword: "或使用密码",
  ownersOnly: "只有站点所有者可以用密码登录。",
};
