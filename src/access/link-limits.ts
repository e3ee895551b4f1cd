/** The longest time that any one-time link can wait to be opened, whatever the configuration says. */
export const longestLinkMs = 2_592_000_000
