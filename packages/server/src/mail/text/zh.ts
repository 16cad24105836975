import type { MailTexts } from "./mail-texts.ts";

/** Mails in Chinese. */
export const ZH_TEXTS: MailTexts = {
  confirm: {
    subject: (site) => `请确认你在 ${site} 的邮箱`,
    text: (name, site) => `${site} 上的账号 ${name} 填写了此邮箱。如果是你本人，请确认。`,
    button: "确认邮箱",
    hint: "链接 24 小时内有效，只能使用一次。如果这不是你的账号，请忽略：没有此链接，任何人都无法使用你的邮箱。",
    footer: (site) => `你收到此邮件，是因为有人在 ${site} 填写了此邮箱。请勿回复。`,
  },
  reset: {
    subject: (site) => `为 ${site} 设置新密码`,
    text: (name, site) => `有人为你在 ${site} 的账号 ${name} 申请了新密码。`,
    button: "设置新密码",
    hint: "链接一小时内有效，只能使用一次。如果不是你申请的，请忽略：密码不会改变。请勿将链接转发给任何人。",
    footer: (site) => `你收到此邮件，是因为你在 ${site} 确认了此邮箱。请勿回复。`,
  },
  invitation: {
    subject: (site) => `邀请你加入 ${site}`,
    text: (name, site) => `${name} 邀请你加入 ${site}。`,
    button: "创建账号",
    hint: (until) => `邀请有效期至 ${until}。如果不需要，请忽略。`,
    footer: (site) => `你收到此邮件，是因为 ${site} 的管理员填写了此邮箱。请勿回复。`,
  },
  security: {
    subject: (site) => `你在 ${site} 的账号有变动`,
    notices: {
      password_changed: "你的密码已被修改，其他会话已结束。",
      reset_link_made: "有人为你的账号创建了设置新密码的链接。",
      level_changed: "你在本站的级别已被更改。",
      wallet_changed: "钱包地址已被修改。",
      new_device: "有人在新的浏览器中登录了你的账号。",
      identity_linked: "你的账号关联了一个单点登录。",
      identity_unlinked: "你的账号取消了一个单点登录的关联。",
      second_factor_added: "已添加第二重验证。",
      second_factor_removed: "已移除第二重验证。",
      second_factor_failed: "有人输入了你的密码，随后输入了错误的验证码。",
      recovery_codes_made: "已生成新的恢复码，旧的恢复码不再有效。",
      recovery_code_used: "有人使用恢复码登录。",
      email_changed: "你的账号填写了另一个邮箱。此邮箱不再属于该账号。",
    },
    facts: (account, at) => `账号：${account}\n时间：${at}`,
    byAdministrator: "由管理员操作。",
    byOperator: "由服务器运营者操作。",
    from: (network) => `来自网络 ${network}。`,
    advice: "如果不是你本人，请立即修改密码，并联系管理员。",
    button: "打开我的账号",
    footer: (site) => `你收到此邮件，是因为你在 ${site} 确认了此邮箱。请勿回复。`,
  },
};
