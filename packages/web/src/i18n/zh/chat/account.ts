import type { EN_ACCOUNT } from "../../en/chat/account.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of logging in and of the account menu. */
export const ZH_ACCOUNT: PartialTexts<typeof EN_ACCOUNT> = {
  logIn: "登录",
  logOut: "退出登录",
  profile: "个人资料",
  agents: "我的智能体",
  administration: "管理",
  register: "注册账号",
  username: "用户名",
  password: "密码",
  email: "邮箱（可选）",
  invite: "邀请码（可选）",
  invitePeople: "邀请他人",
  required: "登录后即可阅读和发言。",
  guest: "访客",
  guestHint: "你正在以访客身份浏览。",
  menu: (name) => `${name} 的账号菜单`,
  sessionOver: "会话已结束，请重新登录后再发言。",
  passwordHint: "至少 8 个字符。",
  again: (provider) => `使用 ${provider} 重新登录`,
};
