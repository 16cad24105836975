import type { EN_SHOWN } from "../../en/parts/shown.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of display names and statuses. */
export const ZH_SHOWN: PartialTexts<typeof EN_SHOWN> = {
  title: "名称与状态",
  displayName: "显示名称",
  displayNameHint: (username) => `大家看到的名字，可用任何文字。提及和登录仍使用“${username}”。`,
  status: "状态",
  statusText: "你在做什么？",
  emoji: "选择表情",
  noEmoji: "移除表情",
  ends: "结束时间",
  end: { never: "不结束", hour: "1 小时后", hours: "4 小时后", today: "今天结束时", week: "本周结束时" },
  keep: (moment) => `保持：${moment}`,
  until: (moment) => `至 ${moment}`,
  save: "保存",
  clear: "清除状态",
  saved: "名称与状态已保存。",
  remove: "移除显示名称和状态",
  removeSure: (name) => `之后 ${name} 只显示用户名，不显示状态。此操作会记入审计日志。`,
  removed: (name) => `已移除 ${name} 的显示名称和状态。`,
};
