import { localeOf, pageLanguage } from "../i18n/locale.ts";

const [WIDTH, HEIGHT] = [200, 48];
/** The scale leaves some space above the highest value. */
const AIR = 1.15;

/** A small line chart, newest value at the right; the newest and the highest value are also given as text. */
export function Chart({
  label,
  values,
  length,
  highest,
}: {
  label: string;
  values: readonly number[];
  length: number;
  highest(value: string): string;
}) {
  const now = values.at(-1) ?? 0;
  const peak = Math.max(...values, 0);
  const top = peak === 0 ? 1 : peak * AIR;
  const x = (at: number) => (WIDTH - ((values.length - 1 - at) * WIDTH) / (length - 1)).toFixed(1);
  const points = values.map((value, at) => `${x(at)},${(HEIGHT - 1 - (value / top) * (HEIGHT - 2)).toFixed(1)}`);
  return (
    <li className="chart">
      <p>
        <span>{label}</span> <strong>{short(now)}</strong>
      </p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {points.length > 1 && <polygon points={`${x(0)},${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />}
        <polyline points={points.join(" ")} />
      </svg>
      <p className="hint">{highest(short(peak))}</p>
    </li>
  );
}

const short = (value: number): string =>
  value.toLocaleString(localeOf(pageLanguage()), { maximumSignificantDigits: 3 });
