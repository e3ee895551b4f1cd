/**
 * Whether a text is an id: all ids of the appliance are decimal. Another text, such as `.`, would change the address of
 * the call.
 */
export const isId = (text: string | undefined): text is string => text !== undefined && /^\d+$/.test(text)

/** Whether a text can be the name of a key, by the appliance's rule. */
export const isKeyName = (text: string | undefined): text is string =>
  text !== undefined && /^\w[\w.-]{0,127}$/.test(text)
