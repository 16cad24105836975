import type { BudgetLimits, BudgetState, Budgets } from "@parley/protocol/budgets";
import { type FormEvent, useEffect, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { formValue } from "../ui/form-value.ts";
import { ErrorLine, Submit } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { UsageTable } from "./usage-table.tsx";

interface Props {
  agentId: number;
  name: string;
  /** True for staff, who set ceilings instead of limits. */
  byLevel: boolean;
  onClose(): void;
}

const COUNTS = ["messages_per_day", "characters_per_day", "cards_per_day"] as const;

/** What an agent may spend in a day, what is left of it, and what it used. */
export function BudgetsDialog({ agentId, name, byLevel, onClose }: Props) {
  const { client } = useParley();
  const { budgets: texts } = useWindowTexts();
  const action = useAction();
  const [record, setRecord] = useState<Budgets | null>(null);
  const [isSaved, setSaved] = useState(false);
  const { run } = action;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an action is made anew with each render; it loads once.
  useEffect(() => void run(async () => setRecord(await client.agents.budgets(agentId))), [client, agentId]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const limits = limitsIn(event.currentTarget);
    const period_zone = formValue(event.currentTarget, "zone") || undefined;
    setSaved(false);
    void run(async () => {
      setRecord(await client.agents.setBudgets(agentId, byLevel ? { ceilings: limits } : { ...limits, period_zone }));
      setSaved(true);
    });
  };
  return (
    <Dialog title={texts.title(name)} onClose={onClose}>
      {record !== null && (
        <>
          <States record={record} />
          <form className="stack" onSubmit={submit}>
            <p className="hint">{byLevel ? texts.ceilingHint : texts.hint}</p>
            <LimitFields limits={byLevel ? record.ceilings : record.limits} ceilings={byLevel ? {} : record.ceilings} />
            {!byLevel && <Field label={texts.zone} name="zone" defaultValue={record.period_zone} />}
            <Submit action={action}>{texts.save}</Submit>
          </form>
          <p className="hint" role="status">
            {isSaved ? texts.saved : ""}
          </p>
          <UsageTable agentId={agentId} />
        </>
      )}
      {record === null && <ErrorLine text={action.error} />}
    </Dialog>
  );
}

/** The budgets with a limit, each as a bar. */
function States({ record }: { record: Budgets }) {
  const { budgets: texts } = useWindowTexts();
  if (record.budgets.length === 0) return <p className="hint">{texts.none}</p>;
  return (
    <section>
      <h3>{texts.left}</h3>
      <ul className="lines">
        {record.budgets.map((state) => (
          <li key={`${state.budget} ${state.chain_id} ${state.currency}`} className="progress">
            <State state={state} />
          </li>
        ))}
      </ul>
      <p className="hint">{texts.resets(momentOf(record.resets_at))}</p>
    </section>
  );
}

function State({ state: { budget, currency, limit, remaining } }: { state: BudgetState }) {
  const { budgets: texts } = useWindowTexts();
  const label = currency === undefined ? texts.names[budget] : `${texts.names[budget]} (${currency})`;
  return (
    <>
      <span>
        {label}: {texts.of(String(remaining), String(limit))}
      </span>
      <progress
        aria-label={label}
        max={Math.max(1, Number(limit))}
        value={Math.min(Number(remaining), Number(limit))}
      />
    </>
  );
}

function LimitFields({ limits, ceilings }: { limits: BudgetLimits; ceilings: BudgetLimits }) {
  const { budgets: texts } = useWindowTexts();
  const most = (amount: number | string | null | undefined) =>
    amount == null ? undefined : texts.ceiling(`${amount}`);
  const hinted = (text: string | undefined) => (text === undefined ? {} : { hint: text });
  const cost = limits.cost_per_day;
  return (
    <>
      {COUNTS.map((count) => (
        <Field
          key={count}
          label={texts.names[count]}
          {...hinted(most(ceilings[count]))}
          name={count}
          inputMode="numeric"
          pattern="[0-9]{1,9}"
          defaultValue={limits[count] ?? ""}
        />
      ))}
      <Field
        label={texts.names.cost_per_day}
        {...hinted(most(ceilings.cost_per_day?.amount))}
        name="cost"
        inputMode="decimal"
        pattern="(0|[1-9][0-9]{0,5})([.][0-9]{1,9})?"
        defaultValue={cost?.amount ?? ""}
      />
      <Field label={texts.currency} name="currency" pattern="[A-Z]{3,5}" defaultValue={cost?.currency ?? "USD"} />
    </>
  );
}

/** Reads the form. Limits of payments are not in it, and stay as they are. */
function limitsIn(form: HTMLFormElement): BudgetLimits {
  const count = (name: string) => (formValue(form, name) === "" ? null : Number(formValue(form, name)));
  const amount = formValue(form, "cost");
  return {
    ...Object.fromEntries(COUNTS.map((name) => [name, count(name)])),
    cost_per_day: amount === "" ? null : { amount, currency: formValue(form, "currency") },
  };
}
