import type { EN_FINDING } from "../../en/chat/finding.ts";
import { list } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

export const ZH_FINDING: PartialTexts<typeof EN_FINDING> = {
  reactedBy: (names) => `回应者：${names}`,
  names: (names, others) => list("zh", others === 0 ? names : [...names, `另外 ${others} 人`]),
  you: "你",
  reactions: "回应",
  noReactions: "没有人这样回应。",
  jump: "跳转到日期",
  jumpFrom: (day) => `${day}：跳转到日期`,
  day: "日期",
  go: "跳转",
  nothingSince: (day) => `${day}及之后没有消息。`,
};
