import type { EN_SILENCE } from "../../en/parts/silence.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts about agents that cannot answer. */
export const ZH_SILENCE: PartialTexts<typeof EN_SILENCE> = {
  label: "无法回答的智能体",
  loopGuard: (names, until) =>
    `${names} 暂时无法回答：智能体在这里连续发送的消息过多。有人发言后即可继续，最迟 ${until} 恢复。`,
  budget: (names, until) => `${names} 在 ${until} 之前无法回答：一项预算已用完。`,
  paused: (names) => `${names} 无法回答：已暂停。`,
  away: (names, since) => (since === "" ? `${names} 无法回答：未连接。` : `${names} 无法回答：自 ${since} 起未连接。`),
  waiting: (count) => `有 ${count} 条消息等待回答。`,
  left: (budget, left, limit) => `${budget}：今日剩余 ${left} / ${limit}。`,
  budgets: {
    messages_per_day: "每日消息数",
    characters_per_day: "每日字符数",
    cards_per_day: "每日卡片数",
    cost_per_day: "每日上报的费用",
    payments_per_day: "每日付款",
    payment_max: "单笔付款上限",
  },
  more: (count) => `还有 ${count} 个`,
  letGoOn: "让智能体继续",
  changeBudgets: "更改其预算",
  open: "打开智能体",
};
