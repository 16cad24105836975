import type { UsageEntry } from "@parley/protocol/budgets";
import { useEffect, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Select } from "../ui/select.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

/** What an agent used in the last 30 days, by day or by channel. */
export function UsageTable({ agentId }: { agentId: number }) {
  const { client } = useParley();
  const { budgets: texts } = useWindowTexts();
  const { error, run } = useAction();
  const [by, setBy] = useState<"day" | "channel">("day");
  const [usage, setUsage] = useState<readonly UsageEntry[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an action is made anew with each render.
  useEffect(() => void run(async () => setUsage((await client.agents.usage(agentId, { by })).usage)), [agentId, by]);
  const { columns } = texts;
  return (
    <section>
      <h3>{texts.usage}</h3>
      <Select
        label={texts.by}
        choices={texts.byChoices}
        value={by}
        onChange={({ currentTarget: { value } }) => setBy(value === "channel" ? "channel" : "day")}
      />
      {usage.length === 0 ? (
        <p className="hint">{texts.unused}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{columns.place}</th>
              <th scope="col">{columns.messages}</th>
              <th scope="col">{columns.tokens}</th>
              <th scope="col">{columns.costs}</th>
            </tr>
          </thead>
          <tbody>
            {usage.map((entry) => (
              <tr key={entry.day ?? entry.channel_id}>
                <th scope="row">{entry.day ?? `#${entry.channel_slug ?? entry.channel_id}`}</th>
                <td>{entry.messages}</td>
                <td>{entry.input_tokens + entry.output_tokens}</td>
                <td>{entry.costs.map(({ amount, currency }) => `${amount} ${currency}`).join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="hint">{texts.usageHint}</p>
      <ErrorLine text={error} />
    </section>
  );
}
