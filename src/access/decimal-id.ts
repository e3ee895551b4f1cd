/** The id that a path or a command names: decimal digits without a leading zero; undefined for what cannot be one. */
export function decimalId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}
