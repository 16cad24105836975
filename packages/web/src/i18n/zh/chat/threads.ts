import type { EN_THREADS } from "../../en/chat/threads.ts";
import { grouped } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of threads. */
export const ZH_THREADS: PartialTexts<typeof EN_THREADS> = {
  title: "话题",
  list: "话题",
  reply: "在话题中回复",
  replyIn: (channel) => `回复 ${channel} 中的话题`,
  placeholder: "回复…",
  also: (channel) => `同时发送到 ${channel}`,
  sentToo: "同时发送到频道",
  replies: (count) => `${grouped(count)} 条回复`,
  noReplies: "暂无回复",
  unread: (count) => `${count >= 100 ? "99+" : count} 条新回复`,
  unreadThreads: (count) => `${count >= 100 ? "99+" : count} 个话题有新回复`,
  lastReply: (time) => `最近回复：${time}`,
  repliedInThread: "在话题中回复",
  inThread: "话题中",
  follow: "关注话题",
  unfollow: "取消关注话题",
  followed: "新回复会显示在“话题”中。",
  unfollowed: "你已取消关注此话题。",
  lock: "锁定话题",
  unlock: "解锁话题",
  locked: "已锁定",
  lockedHint: "此话题已锁定，只有频道管理员可以回复。",
  rootDeleted: "首条消息已删除，无法再回复。",
  gone: "此话题不存在，或你无权访问。",
  close: "关闭话题",
  none: "你关注的话题会显示在这里：你发起的、回复过的，或提及你的话题。",
  guest: "登录后即可关注话题。",
  failed: "无法加载话题。",
  showMore: "显示更多话题",
};
