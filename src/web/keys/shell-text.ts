/** A text as one word of a shell, whatever stands in it. */
export const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
