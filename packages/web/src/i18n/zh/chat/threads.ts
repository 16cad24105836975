import type { EN_THREADS } from "../../en/chat/threads.ts";
import { grouped } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of threads. */
export const ZH_THREADS: PartialTexts<typeof EN_THREADS> = {
  title: "讨论串",
  list: "讨论串",
  reply: "在讨论串中回复",
  replyIn: (channel) => `回复 ${channel} 中的讨论串`,
  placeholder: "回复…",
  also: (channel) => `同时发送到 ${channel}`,
  sentToo: "同时发送到频道",
  replies: (count) => `${grouped(count)} 条回复`,
  noReplies: "暂无回复",
  unread: (count) => `${count >= 100 ? "99+" : count} 条新回复`,
  unreadThreads: (count) => `${count >= 100 ? "99+" : count} 个讨论串有新回复`,
  lastReply: (time) => `最近回复：${time}`,
  repliedInThread: "在讨论串中回复",
  inThread: "讨论串中",
  follow: "关注讨论串",
  unfollow: "取消关注讨论串",
  followed: "新回复会显示在“讨论串”中。",
  unfollowed: "你已取消关注此讨论串。",
  lock: "锁定讨论串",
  unlock: "解锁讨论串",
  locked: "已锁定",
  lockedHint: "此讨论串已锁定，只有频道管理员可以回复。",
  rootDeleted: "首条消息已删除，无法再回复。",
  gone: "此讨论串不存在，或你无权访问。",
  close: "关闭讨论串",
  none: "你关注的讨论串会显示在这里：你发起的、回复过的，或提及你的讨论串。",
  guest: "登录后即可关注讨论串。",
  failed: "无法加载讨论串。",
  showMore: "显示更多讨论串",
};
