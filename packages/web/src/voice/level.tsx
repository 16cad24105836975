import { useEffect, useState } from "react";
import type { Recording } from "./recording.ts";

const TICK_MS = 100;
const BARS = 40;
const BAR = 3;
const HEIGHT = 24;

/** Shows how loud the last seconds of a recording were. Screen readers have the timer beside it. */
export function Level({ recording }: { recording: Recording }) {
  const [levels, setLevels] = useState<readonly number[]>([]);
  useEffect(() => {
    setLevels([]);
    const timer = setInterval(() => setLevels((before) => [...before, recording.level()].slice(-BARS)), TICK_MS);
    return () => clearInterval(timer);
  }, [recording]);
  return (
    <svg className="wave live" viewBox={`0 0 ${BARS * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {levels.map((level, at) => {
        const height = Math.max(2, level * HEIGHT);
        const x = (BARS - levels.length + at) * BAR;
        // biome-ignore lint/suspicious/noArrayIndexKey: A bar has no name but its place.
        return <rect key={at} data-played x={x} y={(HEIGHT - height) / 2} width={BAR - 1} height={height} rx={1} />;
      })}
    </svg>
  );
}
