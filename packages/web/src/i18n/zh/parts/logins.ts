import type { EN_LOGINS } from "../../en/parts/logins.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the login dialog and of linked logins. */
export const ZH_LOGINS: PartialTexts<typeof EN_LOGINS> = {
  username: "用户名",
  password: "密码",
  email: "邮箱（可选）",
  invite: "邀请码（可选）",
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
  again: (provider) => `使用 ${provider} 重新登录`,
  logins: "已关联的登录方式",
  noLogins: "你的账号没有关联其他登录方式。",
  addLogin: (provider) => `关联 ${provider} 登录`,
  removeLogin: "移除",
  removeLoginSure: "之后将无法用它登录，使用它登录的其他浏览器也会退出。",
};
