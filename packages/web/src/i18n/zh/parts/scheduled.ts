import type { EN_SCHEDULED } from "../../en/parts/scheduled.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of messages that are sent later. */
export const ZH_SCHEDULED: PartialTexts<typeof EN_SCHEDULED> = {
  later: "定时发送",
  inMinutes: (minutes) => `${minutes} 分钟后`,
  inHours: (hours) => `${hours} 小时后`,
  tomorrow: (time) => `明天 ${time}`,
  monday: (time) => `周一 ${time}`,
  at: "其他时间",
  schedule: "确定",
  writeFirst: "请先写好消息，再选择发送时间。",
  saved: (time) => `将于 ${time} 发送。`,
  title: "定时消息",
  none: "没有等待发送的消息。",
  in: (channel) => `发送到 ${channel}`,
  goneChannel: "已不存在的频道",
  message: "消息",
  change: "修改",
  cancel: "取消发送",
  save: "保存",
  keep: "不修改",
  failed: "未发送",
  failedTitle: "未能发送",
  missed: "服务器未能在预定时间后一小时内发送。",
  files: (count) => `${count} 个文件`,
};
