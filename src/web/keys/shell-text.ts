/** Quotes any text as one word of a shell. */
export const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
