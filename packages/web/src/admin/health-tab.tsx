import { useEffect, useState } from "react";
import type { WindowTexts } from "../i18n/texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useWindowTexts } from "../i18n/window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { Chart } from "../ui/chart.tsx";
import { addSample, type Gauge, level, mean, perSecond, readMetrics, type Sample } from "./metrics.ts";

const EVERY_MS = 2_000;
/** Two minutes of samples. */
const KEPT = 61;

const CHARTS: Record<keyof WindowTexts["admin"]["charts"], Gauge> = {
  messages: perSecond("parley_messages_appended_total"),
  requests: perSecond("parley_http_requests_total"),
  sockets: level("parley_sockets_open"),
  commit: mean("parley_commit_duration_seconds", 1_000),
  lag: level("parley_event_loop_lag_seconds", 1_000),
  cpu: perSecond("process_cpu_seconds_total", 100),
  memory: level("process_resident_memory_bytes", 1 / 1_048_576),
  refusals: perSecond("parley_rate_limit_refusals_total"),
};

/** Live metrics of the server, loaded while the tab is shown. */
export function HealthTab() {
  const parley = useParley();
  const { app, errorMessage } = useTexts();
  const { admin: texts } = useWindowTexts();
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ending = new AbortController();
    const poll = async () => {
      try {
        const text = await parley.client.admin.metrics({ signal: ending.signal });
        const sample = readMetrics(text, performance.now());
        setSamples((all) => addSample(all, sample, KEPT));
        setProblem(null);
      } catch (error) {
        if (!ending.signal.aborted) setProblem(error);
      }
      if (!ending.signal.aborted) timer = setTimeout(poll, EVERY_MS);
    };
    void poll();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [parley]);
  const last = samples.at(-1);
  const node = last?.node ?? null;
  return (
    <>
      <p className={problem === null ? "hint" : "warning"} role="status">
        {problem === null ? texts.healthHint : texts.noHealth(errorMessage(problem))}
      </p>
      {node !== null && (
        <p className="hint">{texts.healthOfNode(node.name, last?.values.get("parley_cluster_nodes") ?? 1)}</p>
      )}
      {samples.length === 0 && problem === null && <p className="hint">{app.loading}</p>}
      {samples.length > 0 && (
        <ul className="charts">
          {Object.entries(CHARTS).map(([key, gauge]) => (
            <Chart
              key={key}
              label={texts.charts[key as keyof typeof CHARTS]}
              values={samples.slice(1).map((sample, at) => gauge(sample, samples[at] ?? sample))}
              length={KEPT - 1}
              highest={texts.highest}
            />
          ))}
        </ul>
      )}
    </>
  );
}
