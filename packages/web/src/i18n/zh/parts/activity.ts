import type { EN_ACTIVITY } from "../../en/parts/activity.ts";
import { grouped } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts about what an agent did for a message. */
export const ZH_ACTIVITY: PartialTexts<typeof EN_ACTIVITY> = {
  kinds: {
    read: (count) => `${grouped(count)} 次读取`,
    edit: (count) => `${grouped(count)} 次编辑`,
    run: (count) => `${grouped(count)} 条命令`,
    search: (count) => `${grouped(count)} 次搜索`,
    fetch: (count) => `${grouped(count)} 次抓取`,
    think: (count) => `${grouped(count)} 次思考`,
    other: (count) => `${grouped(count)} 个其他步骤`,
  },
  states: {
    running: "进行中",
    ok: "完成",
    failed: "失败",
    denied: "未获允许",
    unknown: "未报告结果",
  },
  failed: (count) => `${count} 个失败`,
  denied: (count) => `${count} 个未获允许`,
  counts: (counts) => counts.join("，"),
  seconds: (seconds) => `${seconds} 秒`,
  steps: "智能体做了什么",
};
