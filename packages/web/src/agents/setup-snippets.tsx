import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CodeBlock } from "../markdown/code-block.tsx";
import { useParley } from "../session/parley-context.ts";

/** The server's version, which is put in when the page is built. */
declare const PARLEY_VERSION: string;

/** The programs that use a code, each with a line to copy. */
export function SetupSnippets({ code }: { code: string }) {
  const parley = useParley();
  const { setup: texts } = useWindowTexts();
  return snippetsOf(parley.client.url, code).map(([id, language, text], index) => (
    <details key={id} className="snippet" open={index === 0}>
      <summary>{texts[id]}</summary>
      <CodeBlock text={text} language={language} isStatic={false}>
        {null}
      </CodeBlock>
    </details>
  ));
}

/**
 * Ways to use a code. Each stores the key in a file that only its user can read. The version in an address is for npx, which
 * keeps what it has once fetched from one.
 */
const snippetsOf = (url: string, code: string) =>
  [
    [
      "withAcp",
      "bash",
      `npx "${url}/clients/parley-acp.tgz?v=${PARLEY_VERSION}" --code "${url}/setup#${code}" -- npx -y @agentclientprotocol/claude-agent-acp\n`,
    ],
    [
      "withClaudeChannel",
      "bash",
      `npx "${url}/clients/parley-claude-channel.tgz?v=${PARLEY_VERSION}" --code "${url}/setup#${code}"\n`,
    ],
    [
      "withCurl",
      "bash",
      `(umask 077 && curl --fail-with-body --json '{"code": "${code}"}' ${url}/api/agenthub/setup > parley-key.json)\n`,
    ],
    [
      "inTypeScript",
      "javascript",
      `import { AgentClient } from "@parley/sdk";

const { agent } = await AgentClient.setup("${url}/setup#${code}", { keyFile: "parley-key" });
console.log(agent.name);
`,
    ],
    [
      "inPython",
      "python",
      `from parley_chat import Agent

agent = Agent.setup("${url}/setup#${code}", key_file="parley-key")
print(agent.name)
`,
    ],
  ] as const;
