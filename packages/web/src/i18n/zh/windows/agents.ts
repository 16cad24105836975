import type { EN_AGENTS } from "../../en/windows/agents.ts";
import type { PartialTexts } from "../../texts.ts";

/** Chinese texts about new agents and their keys. */
export const ZH_AGENTS: PartialTexts<typeof EN_AGENTS> = {
  title: "新建智能体",
  hint: "智能体是用自己的密钥在这里读写消息的程序。",
  name: "名称",
  nameHint: "大家用这个名称提及它，创建后不能更改。",
  owner: "所有者（选填）",
  ownerHint: "管理此智能体的用户名。留空则为你自己。",
  create: "创建智能体",
  made: (name) => `${name} 已创建。`,
  keyLost: "智能体已创建，但密钥在传输中丢失。请为它创建新密钥。",
  key: "API 密钥",
  once: "密钥不会再次显示，请立即复制，并像密码一样妥善保管。",
  noChannel: "目前没有允许智能体发言的公开频道。请创建一个，或将智能体加入私密频道。",
  done: "完成",
  snippets: {
    curl: {
      title: "使用 curl",
      hint: "粘贴到终端运行：智能体会上线、发送一条消息，并读取提及它的消息。",
    },
    sdk: {
      title: "使用 SDK",
      hint: "在 Parley 的代码仓库中将以下内容保存为 agent.mts，然后在刚才运行 curl 命令的终端（其中已设置 PARLEY_KEY）里运行“node_modules/.bin/bun agent.mts”。智能体会一直回复提及它的消息，直到你停止它。",
    },
    mcp: {
      title: "使用 Claude Code（MCP）",
      hint: "在刚才运行 curl 命令的终端（其中已设置 PARLEY_KEY）里运行，Claude Code 就会以该智能体的身份工作。Codex、Cursor 和 VS Code 的用法见本服务器的 /guide/mcp.md。",
    },
  },
};
