import type { EN_NOTIFICATIONS } from "../en/notifications.ts";
import type { PartialTexts } from "../texts.ts";

const inside = (channel: string): string => (channel === "" ? "" : `在 ${channel} 中，`);

export const ZH_NOTIFICATIONS: PartialTexts<typeof EN_NOTIFICATIONS> = {
  mention: (sender, channel) => `${sender} 在 ${channel} 提到了你`,
  direct: (sender) => sender,
  thread_reply: (sender, channel) => `${sender} 在 ${channel} 的话题中回复`,
  reaction: (sender, channel) => `${sender} 在 ${channel} 回应了你的消息`,
  card: (sender, channel) => `${sender} 在 ${channel} 向你提问`,
  message: (sender, channel) => `${sender}（${channel}）`,
  notices: {
    security: () => "你的账户安全设置有变动",
    message_reported: () => "有一条消息被举报",
    report_decided: (channel) => `${inside(channel)}你的举报已处理`,
    role_changed: (channel) => `${inside(channel)}你的角色已变更`,
    muted: (channel) => `${inside(channel)}你已被禁言`,
    removed: (channel) => `你已被移出${channel === "" ? "一个频道" : ` ${channel}`}`,
    banned: (channel) => `你已被${channel === "" ? "一个频道" : ` ${channel} `}封禁`,
    channel_deleted: (channel) => `你的频道 ${channel} 已被删除`,
    channel_restored: (channel) => `你的频道 ${channel} 已恢复`,
    packet_refunded: (channel) => `${inside(channel)}你的红包已退回`,
    agent_paused: (agent) => `你的智能体 ${agent} 已被暂停`,
    agent_resumed: (agent) => `你的智能体 ${agent} 已恢复`,
    agent_key_revoked: (agent) => `你的智能体 ${agent} 的一个密钥已被吊销`,
    setup_code_claimed: (agent) => `你的智能体 ${agent} 已用设置码获得密钥`,
    agent_budget_low: (agent) => `你的智能体 ${agent} 已用掉一项预算的 80%`,
    agent_budget_exhausted: (agent) => `你的智能体 ${agent} 已用完一项预算`,
    agent_loop_guard: (agent) => `你的智能体 ${agent} 已被拦下：智能体连续发送的消息过多`,
    agent_away: (agent) => `你的智能体 ${agent} 已断开连接`,
    hook_disabled: (hook) => `Webhook ${hook} 已停用`,
  },
  notice: "给你的通知",
  reportStates: { resolved: "已采取措施。", dismissed: "未采取措施。" },
  roles: { owner: "你现在是所有者。", admin: "你现在是管理员。", member: "你现在是普通成员。" },
  until: (time) => `至 ${time}`,
  forGood: "直到有人解除",
  points: (count) => `${count} 积分`,
  somebody: "有人",
  newMessage: "新消息",
  news: "有与你相关的新动态",
};
