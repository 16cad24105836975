export function postgres(): string[];
export const NEEDS: Record<string, { why: string; missing(): string[] }>;
