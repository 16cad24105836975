const [WIDTH, HEIGHT] = [200, 48];

/** A small line of values, the newest at the right, with the newest and the largest in words. */
export function Chart({ label, values, length }: { label: string; values: readonly number[]; length: number }) {
  const now = values.at(-1) ?? 0;
  const peak = Math.max(...values, 0);
  const top = peak === 0 ? 1 : peak;
  const points = values.map((value, at) => {
    const x = WIDTH - ((values.length - 1 - at) * WIDTH) / (length - 1);
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <li className="chart">
      <p>
        <span>{label}</span> <strong>{short(now)}</strong>
      </p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <polyline points={points.join(" ")} />
      </svg>
      <p className="hint">↑ {short(peak)}</p>
    </li>
  );
}

const NUMBER = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const short = (value: number): string => NUMBER.format(value);
