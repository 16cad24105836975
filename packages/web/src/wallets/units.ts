/** Converts from the smallest unit: `1500`, 3 → `1.5`. */
export function formatUnits(amount: string, decimals: number): string {
  const digits = amount.padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return rest === "" ? whole : `${whole}.${rest}`;
}

/** `1,234` means a thousand in some countries and one in others, so it is refused. */
const AMBIGUOUS = /^[1-9]\d{0,2},\d{3}$/;

/**
 * Converts to the smallest unit, exactly: `1.5`, 3 → `1500`. A comma is accepted as the decimal point, because some
 * keyboards have no other. Returns null if it is no amount above 0, has too many decimal digits, or is ambiguous.
 */
export function parseUnits(text: string, decimals: number): string | null {
  const [, whole = "", rest = ""] = /^(\d+)(?:[.,](\d*))?$/.exec(text.trim()) ?? [];
  if (AMBIGUOUS.test(text.trim()) || whole === "" || rest.length > decimals) return null;
  const digits = `${whole}${rest.padEnd(decimals, "0")}`.replace(/^0+/, "");
  return /^[1-9]\d{0,77}$/.test(digits) ? digits : null;
}
