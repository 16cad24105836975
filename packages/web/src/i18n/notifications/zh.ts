import type { Translation } from "../texts.ts";
import type { EN_NOTIFICATIONS } from "./en.ts";

export const ZH_NOTIFICATIONS: Translation<typeof EN_NOTIFICATIONS> = {
  mention: (sender, channel) => `${sender} 在 ${channel} 提到了你`,
  direct: (sender) => sender,
  thread_reply: (sender, channel) => `${sender} 在 ${channel} 的话题中回复`,
  reaction: (sender, channel) => `${sender} 在 ${channel} 回应了你的消息`,
  card: (sender, channel) => `${sender} 在 ${channel} 回答了你的卡片`,
  message: (sender, channel) => `${sender}（${channel}）`,
  notice: () => "给你的通知",
  somebody: "有人",
  newMessage: "新消息",
  news: "有与你相关的新动态",
};
