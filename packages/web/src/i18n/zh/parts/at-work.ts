import type { EN_AT_WORK } from "../../en/parts/at-work.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts about what agents do. */
export const ZH_AT_WORK: PartialTexts<typeof EN_AT_WORK> = {
  title: "正在工作的智能体",
  none: "目前没有智能体在这里工作。",
  ended: "已结束的工作",
  untitled: "一条消息",
  states: {
    working: (time) => `自 ${time} 起工作中`,
    waiting: (time) => `自 ${time} 起等待中`,
    gone: (time) => `自 ${time} 起未连接`,
    done: (time) => `已完成 · ${time}`,
    failed: (time) => `失败或已停止 · ${time}`,
  },
  waits: (people, time) => {
    if (people === null) return `自 ${time} 起等待你回答`;
    return people === "" ? `自 ${time} 起等待回答` : `自 ${time} 起等待 ${people} 回答`;
  },
  answer: "回答",
  question: "查看问题",
  stop: "停止",
  stopAgent: (name) => `停止 ${name}`,
  nothingToStop: (name) => `${name} 目前没有在这里工作。`,
  mayNotStop: (name) => `无法停止 ${name}。只有提出请求的人、它的主人和管理员可以停止它。`,
  busy: {
    working: (name, time) => `发给 ${name} 的消息正在等待：它自 ${time} 起在做其他工作：`,
    waiting: (name, time) => `发给 ${name} 的消息正在等待：它的其他工作自 ${time} 起等待回答：`,
  },
};
