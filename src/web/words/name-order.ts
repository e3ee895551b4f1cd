/** The order of names in lists. One collator serves all comparisons: `localeCompare` would make one for each. */
export const nameOrder = (locale: string): ((a: string, b: string) => number) =>
  new Intl.Collator(locale, { numeric: true }).compare
