import type { Translation } from "../texts.ts";
import type { EN_BUDGETS } from "./en.ts";

/** Chinese texts about budgets of agents. */
export const ZH_BUDGETS: Translation<typeof EN_BUDGETS> = {
  open: "预算与用量",
  title: (name) => `${name} 的预算`,
  hint: "此智能体每天可以发送、花费和支付的上限。留空表示不限。",
  ceilingHint: "此智能体的最高限额，所有者不能超过。留空表示不限。",
  resets: (time) => `本日结束于 ${time}。`,
  none: "尚无限额。",
  left: "今日剩余",
  of: (used, limit) => `${used} / ${limit}`,
  names: {
    messages_per_day: "消息",
    characters_per_day: "字符",
    cards_per_day: "卡片",
    cost_per_day: "上报的费用",
    payments_per_day: "付款",
    payment_max: "单笔付款上限",
  },
  currency: "费用货币",
  ceiling: (amount) => `最多 ${amount}`,
  zone: "计日时区",
  save: "保存",
  saved: "已保存。",
  usage: "最近 30 天的用量",
  usageHint: "令牌数和费用由智能体自行上报。只统计有预算时或带上报发送的消息。",
  by: "显示方式",
  byChoices: { day: "按天", channel: "按频道" },
  columns: { place: "日期或频道", messages: "消息", tokens: "令牌", costs: "费用" },
  unused: "暂无。",
};
