import type { EN_REMINDERS } from "../../en/parts/reminders.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of reminders. */
export const ZH_REMINDERS: PartialTexts<typeof EN_REMINDERS> = {
  remind: "提醒我…",
  note: "备注（可选）",
  noteHint: "只有你能看到。",
  when: "时间",
  remindThen: "提醒我",
  saved: (time) => `将于 ${time} 提醒你。`,
  title: "提醒",
  none: "没有等待中的提醒。",
  lists: { waiting: "等待中的提醒", done: "已提醒", ended: "已结束，消息不可读" },
  said: (name, text) => `${name}：${text}`,
  noText: "没有文字的消息",
  gone: "你已无法阅读的消息",
  in: (channel) => `在 ${channel}`,
  change: "修改",
  again: "再次提醒",
  remove: "删除",
  save: "保存",
  keep: "不修改",
  scheduled: "定时消息",
};
