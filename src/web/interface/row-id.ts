/**
 * Whether a text is an id: all ids of the appliance are decimal. Another text, such as `.`, would change the address of
 * the call.
 */
export const isId = (text: string | undefined): text is string => text !== undefined && /^\d+$/.test(text)
