export const REASONS: Record<string, string>;
