/** Upper bound of the time that a one-time link can wait to be opened; the configuration may set less. */
export const longestLinkMs = 2_592_000_000
