import { list } from "../locale.ts";
import type { Translation } from "../texts.ts";
import type { EN_FINDING } from "./en.ts";

export const ZH_FINDING: Translation<typeof EN_FINDING> = {
  filters: "筛选",
  from: "发送者",
  in: "频道",
  after: "晚于",
  before: "早于",
  anywhere: "所有频道",
  filterHint: '也可以直接输入：from:ada in:general after:2026-11-01 "完整短语"',
  removeFilter: (filter) => `移除筛选条件 ${filter}`,
  searchAll: "搜索所有频道",
  noWords: "请输入要搜索的词语或名字。",
  unknownOperator: (name) =>
    `这里没有“${name}:”筛选条件，因此按文本搜索。可用的有 from:、in:、after:、before: 和 on:。`,
  wrongDate: (filter) => `${filter} 需要一个日期，例如 2026-11-01。`,
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
