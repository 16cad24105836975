import type { EN_SECURITY } from "../../en/parts/security.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of security notices. */
export const ZH_SECURITY: PartialTexts<typeof EN_SECURITY> = {
  dismiss: "知道了",
  more: (count) => `还有 ${count} 条`,
  by: (name) => `操作者：管理员 ${name}`,
  byOperator: "操作者：服务器运维人员",
  kinds: {
    password_changed: "你的密码已被修改。",
    reset_link_made: "有人生成了为你的账号设置新密码的链接。",
    account_claimed: "你从其他聊天工具迁入的账号已被认领。",
    email_changed: "你的邮箱已被修改。",
    wallet_changed: "你的钱包地址已被修改。",
    wallet_proven: "你的一个钱包已通过验证。",
    level_changed: "你在本站的权限级别已变更。",
    suspended: "你的账号曾被停用。",
    suspension_ended: "你的账号已恢复使用。",
    api_key_issued: "你的一个智能体创建了新密钥。",
    agent_webhook: "你的一个智能体设置了 Webhook。",
    webhook_disabled: "你创建的一个 Webhook 已被停用。",
    identity_linked: "你的账号添加了一个单点登录方式。",
    identity_unlinked: "你的账号移除了一个单点登录方式。",
    new_device: "有人在新的浏览器上登录了你的账号。",
    second_factor_added: "你的账号添加了第二重验证。",
    second_factor_removed: "你的账号移除了一项第二重验证。",
    second_factor_failed: "有人输入了你的密码，但验证码不正确。请修改密码。",
    recovery_codes_made: "你的恢复码已被更换。",
    recovery_code_used: "有人使用你的恢复码登录。",
  },
};
