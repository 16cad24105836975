import type { EN_CATCH_UP } from "../../en/parts/catch-up.ts";
import type { PartialTexts } from "../../texts.ts";

const many = (count: number, max: number): string => (count >= max ? `${max - 1}+` : String(count));

/** Chinese texts of Catch up. */
export const ZH_CATCH_UP: PartialTexts<typeof EN_CATCH_UP> = {
  title: "未读汇总",
  unreadFrom: "从此处标为未读",
  guest: "登录后可查看未读内容。",
  failed: "部分内容加载失败。",
  none: "没有未读内容。",
  noneHint: "新消息、提及、话题和卡片会显示在这里。",
  keys: "j、k 移动，Enter 打开，e 完成，u 撤销。",
  list: "待处理的内容",
  kinds: { card: "等你回答", channel: "频道", thread: "话题", mention: "提及", session: "智能体" },
  unread: (count) => `${many(count, 100)} 条新消息`,
  mentions: (count) => `${count} 次提及`,
  inChannel: (name) => `在 ${name} 中`,
  more: (count) => `还有 ${count} 条`,
  andMore: (count) => `下面还有 ${count} 项`,
  done: "完成",
  doneWith: (name) => `标为完成：${name}`,
  isDone: (name) => `已完成：${name}`,
  allDone: "已全部标为已读。",
  undo: "撤销",
  undone: (name) => `已恢复：${name}`,
  allRead: "全部标为已读",
  states: { working: "正在工作", waiting: "等待回答", gone: "已离开", done: "已完成", failed: "失败了" },
  worked: (agent, state) => `${agent} ${state}`,
};
