/**
 * Compares names as lists sort them. One collator serves all comparisons; `localeCompare` would create one for each.
 */
export const nameOrder = (locale: string): ((a: string, b: string) => number) =>
  new Intl.Collator(locale, { numeric: true }).compare
