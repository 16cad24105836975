import type { EN_FORWARDS } from "../../en/parts/forwards.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of forwarded messages. */
export const ZH_FORWARDS: PartialTexts<typeof EN_FORWARDS> = {
  forward: "转发",
  title: "转发消息",
  target: "转发给哪个频道或哪位用户？",
  targets: "频道和用户",
  to: (name) => `转发给 ${name}`,
  change: "更换",
  results: (count) => `${count} 个结果`,
  nothing: "未找到结果。",
  chooseFirst: "请先选择频道或用户。",
  comment: "留言（可选）",
  preview: "将转发以下内容",
  onlyLink: "只会转发链接，因为那里的消息需要付费，或会在一段时间后删除。有权查看的人可以通过链接找到消息。",
  done: (name) => `已转发给 ${name}。`,
  from: (name) => `转发自 ${name}`,
  show: (channel) => `在 ${channel} 中查看`,
  hidden: "这里转发了一条你无法查看的消息：它可能已被删除，或在你未加入的频道中。",
};
