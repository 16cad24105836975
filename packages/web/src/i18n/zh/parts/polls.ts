import type { EN_POLLS } from "../../en/parts/polls.ts";
import { list } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of polls. */
export const ZH_POLLS: PartialTexts<typeof EN_POLLS> = {
  poll: "投票",
  make: "发起投票",
  question: "问题",
  options: "选项",
  option: (number) => `选项 ${number}`,
  addOption: "添加选项",
  removeOption: (number) => `移除选项 ${number}`,
  multiple: "可选择多个选项",
  anonymous: "匿名：没有人能看到谁选了什么",
  closes: "结束时间",
  times: {
    "0": "由人手动结束",
    "3600": "1 小时后",
    "86400": "1 天后",
    "259200": "3 天后",
    "604800": "1 周后",
    "2592000": "30 天后",
  },
  send: "发送投票",
  vote: "投票",
  changeVote: "更改我的选择",
  withdraw: "撤回我的投票",
  close: "结束投票",
  closeQuestion: "结束后不能再投票，也不能重新开始。",
  count: (count, share) => `${count} 票（${share}%）`,
  voters: (count) => (count === 0 ? "还没有人投票" : `${count} 人已投票`),
  others: (count) => `等另外 ${count} 人`,
  mine: (options) => `你的选择：${list("zh", options)}。`,
  isMultiple: "可多选",
  isAnonymous: "匿名",
  isClosed: "已结束",
  closesAt: (time) => `${time} 结束`,
};
