import type { EN_SEARCH } from "../../en/parts/search.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of the search's filters. */
export const ZH_SEARCH: PartialTexts<typeof EN_SEARCH> = {
  searchHint: '词语或 "短语"',
  searchHere: "仅在此频道",
  noResults: "没有结果。",
  filters: "筛选",
  from: "发送者",
  in: "频道",
  after: "晚于",
  before: "早于",
  anywhere: "所有频道",
  has: "包含",
  is: "类型",
  any: "不限",
  facts: {
    has: { file: "文件", image: "图片", link: "链接", card: "卡片", reaction: "回应" },
    is: { pinned: "已置顶", thread: "讨论串中的消息", edited: "已编辑", mine: "我发送的" },
  },
  filterHint: '也可以直接输入：from:ada in:general after:2026-11-01 has:file is:pinned "完整短语"',
  removeFilter: (filter) => `移除筛选条件 ${filter}`,
  searchAll: "搜索所有频道",
  noWords: "请输入要搜索的词语或名字，或选定一个频道再按条件查找。",
  unknownOperator: (name) =>
    `这里没有“${name}:”筛选条件，因此按文本搜索。可用的有 from:、in:、has:、is:、after:、before: 和 on:。`,
  wrongFact: (filter) =>
    `没有“${filter}”这个筛选条件。可用的有 has:file、image、link、card、reaction，以及 is:pinned、thread、edited、mine。`,
  wrongDate: (filter) => `${filter} 需要一个日期，例如 2026-11-01。`,
};
