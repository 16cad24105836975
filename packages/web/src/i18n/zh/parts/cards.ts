import type { EN_CARDS } from "../../en/parts/cards.ts";
import { grouped } from "../../locale.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts of cards. */
export const ZH_CARDS: PartialTexts<typeof EN_CARDS> = {
  confirmTitle: "请确认",
  confirm: "确认",
  choose: "请选择…",
  send: "发送",
  people: ({ users = [], roles = [], min_admin_level: level, owner }) =>
    [
      ...users,
      ...(roles.includes("member") ? ["所有成员"] : []),
      ...(!roles.includes("member") && roles.includes("admin") ? ["频道管理员"] : []),
      ...(roles.length === 1 && roles.includes("owner") ? ["频道所有者"] : []),
      ...(level === undefined ? [] : ["站点管理人员"]),
      ...(owner === true ? ["智能体的主人"] : []),
    ].join("、"),
  asks: (people, until) => `请 ${people} 回答，截止 ${until}`,
  approvals: (count, quorum, names) =>
    `${quorum} 人中已有 ${count} 人批准${names.length === 0 ? "" : `：${names.join("、")}`}`,
  answers: (count) => `${grouped(count)} 个回答`,
  tally: (label, count) => `${label}：${count}`,
  mine: (label) => `你的回答：${label}`,
  receipt: {
    show: "回执",
    about: "服务器已对结果签名。可保存作为凭证，并用服务器的公钥验证。",
    none: "没有回执：其中提到的某人的账号已被清除。",
    save: "保存回执",
    signed: "签名原文",
    signature: "签名",
    key: "密钥",
  },
  errors: {
    not_allowed_to_answer: "此问题由其他人回答。",
    unknown_action: "没有这个选项。",
    interaction_not_found: "此问题已不存在。",
    interaction_closed: "此问题已有结果或已撤回。",
    interaction_expired: "回答时间已过。",
  },
  menu: {
    answer: "机器人的回复",
    dismiss: "知道了",
    guest: "登录后才能使用这些按钮。",
    ended: "这些按钮已失效。",
    keyboard: (bot) => `${bot} 的按钮`,
    errors: {
      not_allowed_to_answer: "这些按钮仅供频道成员使用。",
      unknown_action: "机器人已更改按钮，请重新查看。",
      interaction_not_found: "这些按钮已不存在。",
      interaction_closed: "这些按钮已不存在。",
    },
  },
  refusals: {
    ended: "回答时间已过。",
    guest: "登录后才能回答。",
    others: "你不能回答：此问题由其他人回答。",
    role: "你不能回答：此处只有在频道中角色更高的人可以决定。",
  },
  rule: {
    member: "只有此频道的成员可以决定。",
    admin: "只有此频道的管理员和所有者可以决定。",
    owner: "只有此频道的所有者可以决定。",
  },
  result: (kind, { action_id, username }, label, time) => {
    if (kind !== "approval") return `${username} 选择了 ${label} · ${time}`;
    return action_id === "approve" ? `已批准 · 由 ${username} 决定 · ${time}` : `已被 ${username} 拒绝 · ${time}`;
  },
  ended: (status, time) => (status === "expired" ? `无人及时决定 · ${time}` : `已撤回 · ${time}`),
};
