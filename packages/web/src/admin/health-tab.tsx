import type { HealthResponse, HealthSeries } from "@parley/protocol/health";
import { useEffect, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { MailHealth } from "../mail/mail-health.tsx";
import { useParley } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";
import { Chart } from "../ui/chart.tsx";
import { type Health, shownHealth } from "./health.ts";

const EVERY_MS = 5_000;
const HOUR_SECONDS = 3_600;

const CHARTS: readonly (keyof HealthSeries)[] = [
  "messages_per_second",
  "requests_per_second",
  "sockets",
  "commit_ms",
  "event_loop_lag_ms",
  "cpu_percent",
  "memory_mib",
  "refusals_per_second",
];

/** The server's health over the last hour, which the server remembers. Updated while the tab is shown. */
export function HealthTab() {
  const { app, errorMessage } = useTexts();
  const { admin: texts } = useWindowTexts();
  const { health, problem } = useHealth();
  const hasMail = useSite()?.mail === true;
  const { node = null, series, sample_seconds: seconds } = health?.answer ?? {};
  const hasSamples = series !== undefined && series.sockets.length > 0;
  return (
    <>
      <p className={problem === null ? "hint" : "warning"} role="status">
        {problem === null ? texts.healthHint : texts.noHealth(errorMessage(problem))}
      </p>
      {hasMail && <MailHealth />}
      {node !== null && <p className="hint">{texts.healthOfNode(node.name, node.nodes)}</p>}
      {!hasSamples && problem === null && <p className="hint">{app.loading}</p>}
      {hasSamples && (
        <ul className="charts">
          {CHARTS.map((name) => (
            <Chart
              key={name}
              label={texts.charts[name]}
              values={series[name]}
              length={HOUR_SECONDS / (seconds ?? 1)}
              highest={texts.highest}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function useHealth(): { health: Health | null; problem: unknown } {
  const parley = useParley();
  const [health, setHealth] = useState<Health | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const poll = async () => {
      try {
        const answer: HealthResponse = await parley.client.admin.health({ signal });
        setHealth((before) => shownHealth(before, { answer, at: performance.now() }));
        setProblem(null);
      } catch (error) {
        if (!signal.aborted) setProblem(error);
      }
      if (!signal.aborted) timer = setTimeout(poll, EVERY_MS);
    };
    void poll();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [parley]);
  return { health, problem };
}
