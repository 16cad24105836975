import type { PointsResponse } from "@parley/protocol/points";
import { useEffect, useState } from "react";
import { useParley } from "../session/parley-context.ts";

/** The user's points, and what of them is on hold; null until they are loaded. */
export function usePoints(self: string): PointsResponse | null {
  const parley = useParley();
  const [points, setPoints] = useState<PointsResponse | null>(null);
  useEffect(() => {
    parley.client.accounts.points(self, { limit: 1 }).then(setPoints, () => setPoints(null));
  }, [parley, self]);
  return points;
}
