import type { EN_LOGINS } from "../../en/windows/logins.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of logins by an identity provider that are linked to an account. */
export const ZH_LOGINS: PartialTexts<typeof EN_LOGINS> = {
  logins: "已关联的登录方式",
  noLogins: "你的账号没有关联其他登录方式。",
  addLogin: (provider) => `关联 ${provider} 登录`,
  removeLogin: "移除",
  removeLoginSure: "之后将无法用它登录，使用它登录的其他浏览器也会退出。",
};
