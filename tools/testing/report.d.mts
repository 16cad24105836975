export function slowestLines(
  files: readonly { path: string; seconds: number }[],
  reasons: Record<string, string>,
): string[];
